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

    func write(_ piece: RawSpan) async throws(MediaStoreError) { try await stage.write(piece) }

    func finish() async throws(MediaStoreError) -> StoredObject {
        let file = try await stage.complete()
        let store = store
        let outcome: Result<ObjectName, MediaStoreError>
        do throws(MediaStoreError) {
            outcome = .success(
                try await store.disk.run { () throws(MediaStoreError) in
                    try file.descriptor.sync()
                    let name = ObjectName(file.digest())
                    try store.place(file, as: name)
                    return name
                })
        } catch {
            outcome = .failure(error)
        }
        await abort()
        return StoredObject(name: try outcome.get(), bytes: bytes, type: type)
    }

    func abort() async {
        // The file's last reference may remove it: not on the caller's thread.
        guard let file = await stage.end() else { return }
        try? await store.disk.run { () throws(MediaStoreError) in file.discard() }
    }
}
