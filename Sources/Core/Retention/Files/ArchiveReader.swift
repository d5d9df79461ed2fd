import Crypto

/// Reads a whole file in constant memory.
enum ArchiveReader {
    private static let pieceBytes = 256 * 1024

    /// Passes the contents to `body` in pieces and returns the facts of the file.
    ///
    /// The pieces may be trusted only if this returns the expected facts.
    static func read(
        _ name: String, in store: any ArchiveStore, _ form: ArchiveForm,
        _ body: (UnsafeRawBufferPointer) throws -> Void = { _ in }
    ) throws -> FileFacts {
        let decoder = FrameDecoder(form)
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 16)
        defer { output.deallocate() }
        var facts = FileFacts()
        var counter = RowCounter(form)
        var digest = SHA256()
        var isAtEnd = false
        try store.read(name) { piece in
            digest.update(bufferPointer: piece)
            facts.bytes += piece.count
            var taken = 0
            var isOutputFull = false
            while taken < piece.count || isOutputFull {
                guard !isAtEnd,
                    let step = decoder.step(
                        UnsafeRawBufferPointer(rebasing: piece[taken...]), into: output)
                else { throw ArchiveError.damaged(path: store.path(of: name), .frame) }
                isAtEnd = step.isAtEnd
                taken += step.consumed
                isOutputFull = step.produced == output.count && !isAtEnd
                guard step.produced > 0 else { continue }
                let text = UnsafeRawBufferPointer(rebasing: output[..<step.produced])
                facts.textBytes += step.produced
                counter.add(text)
                try body(text)
            }
        }
        guard isAtEnd else { throw ArchiveError.damaged(path: store.path(of: name), .frame) }
        facts.rows = counter.rows
        facts.sha256 = Array(digest.finalize())
        return facts
    }
}
