import Crypto
import Files
import Glibc

/// Reads a whole file in constant memory.
enum ArchiveReader {
    private static let pieceBytes = 256 * 1024

    /// Passes the contents to `body` in pieces and returns the facts of the file.
    ///
    /// The pieces may be trusted only if this returns the expected facts.
    static func read(
        _ path: String, _ form: ArchiveForm,
        _ body: (UnsafeRawBufferPointer) throws -> Void = { _ in }
    ) throws -> FileFacts {
        guard access(path, F_OK) == 0 || errno != ENOENT else {
            throw ArchiveError.damaged(path: path, .missing)
        }
        let file = try Descriptor(path, O_RDONLY)
        let decoder = FrameDecoder(form)
        let input = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 16)
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 16)
        defer {
            input.deallocate()
            output.deallocate()
        }
        var facts = FileFacts()
        var counter = RowCounter(form)
        var digest = SHA256()
        var isAtEnd = false
        while true {
            let count = try file.read(into: input)
            if count == 0 { break }
            let piece = UnsafeRawBufferPointer(rebasing: input[..<count])
            digest.update(bufferPointer: piece)
            facts.bytes += count
            var taken = 0
            var isOutputFull = false
            while taken < count || isOutputFull {
                guard !isAtEnd,
                    let step = decoder.step(
                        UnsafeRawBufferPointer(rebasing: piece[taken...]), into: output)
                else { throw ArchiveError.damaged(path: path, .frame) }
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
        guard isAtEnd else { throw ArchiveError.damaged(path: path, .frame) }
        facts.rows = counter.rows
        facts.sha256 = Array(digest.finalize())
        return facts
    }
}
