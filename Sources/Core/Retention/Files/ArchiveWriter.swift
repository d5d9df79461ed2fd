import CZstd
import Crypto

/// Writes one file as a Zstandard frame in constant memory.
///
/// The frame has a checksum of its content, so that `zstd -t` can check it. The file appears when
/// ``Archive`` publishes it; without that nothing of it stays behind this object.
final class ArchiveWriter {
    /// Zstandard's default.
    private static let level: Int32 = 3

    let draft: any ArchiveDraft
    private let context: OpaquePointer
    private let output: UnsafeMutableRawBufferPointer
    private var digest = SHA256()
    private var facts = FileFacts()
    private var counter: RowCounter

    /// - Parameter form: a compressed form of today.
    init(_ draft: any ArchiveDraft, _ form: ArchiveForm) {
        precondition(form != .copyLZ4, "BUG: LZ4 files are only read")
        self.draft = draft
        guard let made = ZSTD_createCCtx() else { preconditionFailure("BUG: ZSTD_createCCtx") }
        context = made
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Self.level)
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        output = .allocate(byteCount: ZSTD_CStreamOutSize(), alignment: 16)
        counter = RowCounter(form)
    }

    deinit {
        ZSTD_freeCCtx(context)
        output.deallocate()
    }

    /// Adds whole lines or parts of lines.
    func append(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        facts.textBytes += bytes.count
        counter.add(bytes)
        try compress(bytes, ZSTD_e_continue)
    }

    /// Ends the frame.
    func finish() throws(ArchiveError) -> FileFacts {
        try compress(UnsafeRawBufferPointer(start: nil, count: 0), ZSTD_e_end)
        facts.rows = counter.rows
        facts.sha256 = Array(digest.finalize())
        return facts
    }

    private func compress(
        _ bytes: UnsafeRawBufferPointer, _ directive: ZSTD_EndDirective
    ) throws(ArchiveError) {
        var source = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
        while true {
            var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
            let left = ZSTD_compressStream2(context, &target, &source, directive)
            precondition(ZSTD_isError(left) == 0, "BUG: ZSTD \(left)")
            if target.pos > 0 {
                let piece = UnsafeRawBufferPointer(rebasing: output[..<target.pos])
                digest.update(bufferPointer: piece)
                facts.bytes += piece.count
                try draft.append(piece)
            }
            if directive == ZSTD_e_end ? left == 0 : source.pos == source.size { return }
        }
    }
}
