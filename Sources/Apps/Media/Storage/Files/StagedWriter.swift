import Files
import Glibc
import Inspections
import NIOCore

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
