import Media
import NIOCore

extension MediaStore {
    /// Uploads bytes in pieces of that length.
    func put(_ bytes: [UInt8], pieces: Int = 10_000) async throws -> StoredObject {
        let writer = try await begin()
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            try await writer.write(
                Array(bytes[start..<min(bytes.count, start + pieces)]).span.bytes)
        }
        return try await writer.finish()
    }

    /// Reads a range, or everything.
    func get(_ object: ObjectName, _ range: Range<Int>? = nil) async throws -> [UInt8] {
        let source = try await open(object)
        var bytes: [UInt8] = []
        for try await piece in source.stream(range ?? 0..<source.bytes) {
            precondition((1...MediaStorage.pieceBytesMax).contains(piece.readableBytes))
            bytes += Array(buffer: piece)
        }
        return bytes
    }
}
