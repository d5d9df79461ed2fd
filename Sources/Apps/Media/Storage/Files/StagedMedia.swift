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

/// The file that an upload is written to until its last byte has arrived, and its type.
///
/// `@unchecked Sendable`: one task uses it at a time. A disk thread uses the file only while that
/// task waits for it.
final class StagedWriter: MediaWriter, @unchecked Sendable {
    /// Makes the complete file durable in the store and returns its name there.
    typealias Placing = @Sendable (UploadFile) async throws(MediaStoreError) -> ObjectName

    private let disk: DiskThreads
    private let place: Placing
    private var file: UploadFile?
    private var beginning: [UInt8] = []
    private(set) var bytes = 0
    private(set) var type: MediaType?

    init(_ file: UploadFile, disk: DiskThreads, place: @escaping Placing) {
        self.file = file
        self.disk = disk
        self.place = place
    }

    deinit { file?.discard() }

    func write(_ piece: ByteBuffer) async throws(MediaStoreError) {
        guard let file else { throw .ended }
        keepBeginning(of: piece)
        do throws(MediaStoreError) {
            try await disk.run { () throws(MediaStoreError) in try file.append(piece) }
        } catch {
            await abort()
            throw error
        }
        bytes += piece.readableBytes
    }

    func finish() async throws(MediaStoreError) -> StoredObject {
        let file = try complete()
        do throws(MediaStoreError) {
            let name = try await place(file)
            await abort()
            return StoredObject(name: name, bytes: bytes, type: type)
        } catch {
            await abort()
            throw error
        }
    }

    /// The complete file, not synced. No write may follow.
    private func complete() throws(MediaStoreError) -> UploadFile {
        guard let file else { throw .ended }
        type = MediaType(content: beginning)
        return file
    }

    func inspect<Value: Sendable>(
        _ body: @escaping @Sendable (StagedMedia) throws(MediaStoreError) -> Value
    ) async throws(MediaStoreError) -> Value {
        let file = try complete()
        return try await disk.run { () throws(MediaStoreError) in try body(StagedMedia(file)) }
    }

    /// Releases the file and removes its name, if it still has one. Does nothing the second time.
    func abort() async {
        guard let file else { return }
        self.file = nil
        // Releasing the last reference closes the file, which may take as long as removing it.
        try? await disk.run { () throws(MediaStoreError) in file.discard() }
    }

    private func keepBeginning(of piece: ByteBuffer) {
        let missing = MediaType.contentBytesMax - beginning.count
        guard missing > 0 else { return }
        beginning.append(contentsOf: piece.readableBytesView.prefix(missing))
        if beginning.count == MediaType.contentBytesMax { type = MediaType(content: beginning) }
    }
}
