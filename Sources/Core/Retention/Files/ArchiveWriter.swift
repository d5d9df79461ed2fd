import CLZ4
import Crypto
import Files

/// Writes one file as an LZ4 frame in constant memory.
///
/// The frame has a checksum of its content, so that `lz4 -t` can check it. The file is a `.part`
/// until ``ArchiveDirectory`` publishes it; without that it is removed with this object.
final class ArchiveWriter {
    static let pieceBytes = 256 * 1024

    let draft: Draft<ArchiveError>
    private let context: OpaquePointer
    private let staging: UnsafeMutableRawBufferPointer
    private let output: UnsafeMutableRawBufferPointer
    private var stagedBytes = 0
    private var digest = SHA256()
    private var facts = FileFacts()

    /// - Parameter path: the final path.
    init(_ path: String) throws(ArchiveError) {
        draft = try Draft(of: path, suffix: ".part")
        var preferences = LZ4F_preferences_t()
        preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled
        preferences.frameInfo.blockSizeID = LZ4F_max256KB
        var made: OpaquePointer?
        guard LZ4F_isError(LZ4F_createCompressionContext(&made, UInt32(LZ4F_VERSION))) == 0,
            let made
        else { preconditionFailure("BUG: LZ4F_createCompressionContext") }
        context = made
        staging = .allocate(byteCount: Self.pieceBytes, alignment: 16)
        let bytesMax = LZ4F_compressBound(Self.pieceBytes, &preferences)
        output = .allocate(
            byteCount: max(bytesMax, Int(LZ4F_HEADER_SIZE_MAX)), alignment: 16)
        try put(LZ4F_compressBegin(context, output.baseAddress, output.count, &preferences))
    }

    deinit {
        LZ4F_freeCompressionContext(context)
        staging.deallocate()
        output.deallocate()
    }

    /// Adds whole lines or parts of lines.
    func append(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        facts.textBytes += bytes.count
        facts.rows += FileFacts.lines(in: bytes)
        var rest = bytes[...]
        while !rest.isEmpty {
            if stagedBytes == Self.pieceBytes { try compressStaged() }
            let part = rest.prefix(Self.pieceBytes - stagedBytes)
            UnsafeMutableRawBufferPointer(rebasing: staging[stagedBytes...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
            stagedBytes += part.count
            rest = rest.dropFirst(part.count)
        }
    }

    /// Ends the frame.
    func finish() throws(ArchiveError) -> FileFacts {
        try compressStaged()
        try put(LZ4F_compressEnd(context, output.baseAddress, output.count, nil))
        facts.sha256 = Array(digest.finalize())
        return facts
    }

    private func compressStaged() throws(ArchiveError) {
        guard stagedBytes > 0 else { return }
        let count = LZ4F_compressUpdate(
            context, output.baseAddress, output.count, staging.baseAddress, stagedBytes, nil)
        stagedBytes = 0
        try put(count)
    }

    private func put(_ count: Int) throws(ArchiveError) {
        precondition(LZ4F_isError(count) == 0, "BUG: LZ4F \(count)")
        let bytes = UnsafeRawBufferPointer(rebasing: output[..<count])
        digest.update(bufferPointer: bytes)
        facts.bytes += count
        try draft.file.write(bytes)
    }
}
