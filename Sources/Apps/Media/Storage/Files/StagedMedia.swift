import Files
import Glibc
import Inspections
import NIOCore

/// A complete upload that has no digest yet, on loan to one disk thread. This is the time to
/// examine a file and to remove what must not be stored.
///
/// Changes made here are stored: the digest is computed from the changed bytes. The length does not
/// change.
public struct StagedMedia {
    private let file: UploadFile

    init(_ file: UploadFile) { self.file = file }

    /// The upload's length in bytes.
    public var bytes: Int { file.bytes }

    /// For libraries that open files themselves. Only for reading, and open only as long as the
    /// loan lasts.
    public var descriptor: Int32 { file.descriptor.number }

    /// Copies bytes of the file into `buffer`.
    ///
    /// - Parameter offset: where to begin; not negative.
    /// - Returns: how many bytes were copied; fewer than `buffer` holds only at the end of the
    ///   file.
    public func read(
        at offset: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws(MediaStoreError) -> Int {
        precondition(offset >= 0, "BUG: offset=\(offset)")
        let wanted = min(buffer.count, max(0, bytes - offset))
        let read = try file.descriptor.read(
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
        guard read == wanted else { throw .disk(operation: "read", errno: EIO) }
        return read
    }

    /// A copy of at most `count` bytes, fewer only at the file's end.
    public func read(at offset: Int, _ count: Int) throws(MediaStoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: min(count, max(0, self.bytes - offset)))
        let outcome = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(MediaStoreError) in try read(at: offset, into: buffer) }
        }
        _ = try outcome.get()
        return bytes
    }

    /// Replaces the bytes at `offset`, which must all exist.
    public func overwrite(_ replacement: [UInt8], at offset: Int) throws(MediaStoreError) {
        precondition(
            offset >= 0 && offset + replacement.count <= bytes,
            "BUG: \(replacement.count) bytes at \(offset) of \(bytes)")
        guard !replacement.isEmpty else { return }
        file.isAltered = true
        try file.write(ByteBuffer(bytes: replacement), at: offset)
    }

    /// - Parameter edit: of bytes that all exist.
    func apply(_ edit: FileEdit) throws(MediaStoreError) {
        switch edit.content {
        case .bytes(let bytes): try overwrite(bytes, at: edit.offset)
        case .fill(let byte, let count):
            for start in stride(from: 0, to: count, by: MediaStorage.pieceBytesMax) {
                let piece = min(MediaStorage.pieceBytesMax, count - start)
                try overwrite([UInt8](repeating: byte, count: piece), at: edit.offset + start)
            }
        }
    }
}
