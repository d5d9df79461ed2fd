import NIOCore

/// An upload into a ``DirectoryStore``.
final class DirectoryWriter: MediaWriter {
    private let store: DirectoryStore
    private let stage: StagedUpload

    init(_ file: UploadFile, store: DirectoryStore) {
        self.store = store
        stage = StagedUpload(file, disk: store.disk)
    }

    var bytes: Int { stage.bytes }
    var type: MediaType? { stage.type }

    func write(_ piece: ByteBuffer) async throws(MediaStoreError) { try await stage.write(piece) }

    func inspect<Value: Sendable>(
        _ body: @escaping @Sendable (StagedMedia) throws(MediaStoreError) -> Value
    ) async throws(MediaStoreError) -> Value { try await stage.inspect(body) }

    func finish() async throws(MediaStoreError) -> StoredObject {
        let file = try stage.complete()
        let store = store
        do throws(MediaStoreError) {
            let name = try await store.disk.run { () throws(MediaStoreError) in
                try file.descriptor.sync()
                let name = ObjectName(try file.digest())
                try store.place(file, as: name)
                return name
            }
            await stage.end()
            return StoredObject(name: name, bytes: bytes, type: type)
        } catch {
            await stage.end()
            throw error
        }
    }

    func abort() async { await stage.end() }
}
