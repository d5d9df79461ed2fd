import CLZ4
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
        _ path: String, _ body: (UnsafeRawBufferPointer) throws -> Void = { _ in }
    ) throws -> FileFacts {
        guard access(path, F_OK) == 0 || errno != ENOENT else {
            throw ArchiveError.damaged(path: path, .missing)
        }
        let file = try Descriptor(path, O_RDONLY)
        var context: OpaquePointer?
        guard LZ4F_isError(LZ4F_createDecompressionContext(&context, UInt32(LZ4F_VERSION))) == 0,
            let context
        else { preconditionFailure("BUG: LZ4F_createDecompressionContext") }
        let input = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 16)
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 16)
        defer {
            LZ4F_freeDecompressionContext(context)
            input.deallocate()
            output.deallocate()
        }
        var facts = FileFacts()
        var digest = SHA256()
        // LZ4's hint for the next input; 0 at the end of the frame.
        var expected = 1
        while true {
            let count = try file.read(into: input)
            if count == 0 { break }
            let piece = UnsafeRawBufferPointer(rebasing: input[..<count])
            digest.update(bufferPointer: piece)
            facts.bytes += count
            var taken = 0
            var isOutputFull = false
            while taken < count || isOutputFull {
                guard expected != 0 else { throw ArchiveError.damaged(path: path, .frame) }
                var consumed = count - taken
                var produced = output.count
                expected = LZ4F_decompress(
                    context, output.baseAddress, &produced, piece.baseAddress.map { $0 + taken },
                    &consumed, nil)
                guard LZ4F_isError(expected) == 0 else {
                    throw ArchiveError.damaged(path: path, .frame)
                }
                taken += consumed
                isOutputFull = produced == output.count && expected != 0
                guard produced > 0 else { continue }
                let text = UnsafeRawBufferPointer(rebasing: output[..<produced])
                facts.textBytes += produced
                facts.rows += FileFacts.lines(in: text)
                try body(text)
            }
        }
        guard expected == 0 else { throw ArchiveError.damaged(path: path, .frame) }
        facts.sha256 = Array(digest.finalize())
        return facts
    }
}
