import Crypto
import Files
import Glibc
import NIOCore

/// A local file, open for reading. It stays readable when its name is removed.
final class FileSource: MediaSource {
    let bytes: Int
    private let file: Descriptor
    private let disk: DiskThreads

    init(_ file: Descriptor, bytes: Int, disk: DiskThreads) {
        self.file = file
        self.bytes = bytes
        self.disk = disk
    }

    var descriptor: Int32? { file.number }

    func stream(_ range: Range<Int>) -> MediaStream {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= bytes, "BUG: range=\(range) of \(bytes)")
        let (file, disk) = (file, disk)
        return MediaStream {
            var place = range.lowerBound
            return {
                guard place < range.upperBound else { return nil }
                let count = min(MediaStorage.pieceBytesMax, range.upperBound - place)
                let offset = place
                let piece = try await disk.run { () throws(MediaStoreError) in
                    try Self.read(file, offset, count)
                }
                place += piece.readableBytes
                return piece
            }
        }
    }

    /// SHA-256 of a range.
    func digest(_ range: Range<Int>) async throws(MediaStoreError) -> MediaDigest {
        let file = file
        return try await disk.run { () throws(MediaStoreError) in
            var hash = SHA256()
            for start in stride(
                from: range.lowerBound, to: range.upperBound, by: MediaStorage.pieceBytesMax)
            {
                let count = min(MediaStorage.pieceBytesMax, range.upperBound - start)
                try Self.read(file, start, count).withUnsafeReadableBytes {
                    hash.update(bufferPointer: $0)
                }
            }
            guard let digest = MediaDigest(bytes: Array(hash.finalize())) else {
                preconditionFailure("BUG: a digest of another length")
            }
            return digest
        }
    }

    private static func read(
        _ file: Descriptor, _ offset: Int, _ count: Int
    ) throws(MediaStoreError) -> ByteBuffer {
        var piece = ByteBufferAllocator().buffer(capacity: count)
        let read = try piece.writeWithUnsafeMutableBytes(minimumWritableBytes: count) {
            bytes throws(MediaStoreError) in
            try file.read(
                into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]), at: offset)
        }
        // A stored file never shrinks, so a missing byte means a damaged disk.
        guard read > 0 else { throw .disk(operation: "read", errno: EIO) }
        return piece
    }
}
