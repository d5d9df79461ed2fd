import MediaStorage

/// A store that fails at one point of every upload.
final class BrokenStore: MediaStore {
    enum Stage: CaseIterable { case begin, write, finish }

    private let store: any MediaStore
    private let stage: Stage
    private let error: MediaStoreError

    init(_ store: any MediaStore, _ stage: Stage, _ error: MediaStoreError) {
        self.store = store
        self.stage = stage
        self.error = error
    }

    var graceTime: Duration { store.graceTime }
    var disk: DiskThreads { store.disk }

    func begin() async throws(MediaStoreError) -> any MediaWriter {
        if stage == .begin { throw error }
        return Writer(try await store.begin(), stage, error)
    }

    func open(_ object: ObjectName) async throws(MediaStoreError) -> any MediaSource {
        try await store.open(object)
    }

    func renew(_ object: ObjectName) async throws(MediaStoreError) -> Bool {
        try await store.renew(object)
    }

    func oldObjects(
        after object: ObjectName?, limit: Int
    ) async throws(MediaStoreError) -> ObjectPage {
        try await store.oldObjects(after: object, limit: limit)
    }

    func isOld(_ object: ObjectName) async throws(MediaStoreError) -> Bool {
        try await store.isOld(object)
    }

    func removeOld(_ object: ObjectName) async throws(MediaStoreError) -> Bool {
        try await store.removeOld(object)
    }

    func removeLeftovers() async throws(MediaStoreError) -> Int {
        try await store.removeLeftovers()
    }

    func shutdown() async { await store.shutdown() }

    private final class Writer: MediaWriter {
        private let writer: any MediaWriter
        private let stage: Stage
        private let error: MediaStoreError

        init(_ writer: any MediaWriter, _ stage: Stage, _ error: MediaStoreError) {
            self.writer = writer
            self.stage = stage
            self.error = error
        }

        var bytes: Int { writer.bytes }
        var type: MediaType? { writer.type }

        func write(_ piece: RawSpan) async throws(MediaStoreError) {
            if stage == .write { throw error }
            try await writer.write(piece)
        }

        func inspect<Value: Sendable>(
            _ body: @escaping @Sendable (StagedMedia) throws(MediaStoreError) -> Value
        ) async throws(MediaStoreError) -> Value { try await writer.inspect(body) }

        func finish() async throws(MediaStoreError) -> StoredObject {
            if stage == .finish { throw error }
            return try await writer.finish()
        }

        func abort() async { await writer.abort() }
    }
}
