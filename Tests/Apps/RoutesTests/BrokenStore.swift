import Inspections
import Media
import NIOCore

@testable import HTTPSupport

/// A store that fails, or waits, at the stages of each upload.
final class BrokenStore: MediaStore {
    enum Stage: CaseIterable { case begin, write, finish }
    typealias Fault = @Sendable (Stage) async throws(MediaStoreError) -> Void

    private let store: any MediaStore
    private let fault: Fault
    let space: FreeSpace

    init(
        _ store: any MediaStore, space: FreeSpace? = nil, fault: @escaping Fault = { _ in }
    ) {
        self.store = store
        self.space = space ?? store.space
        self.fault = fault
    }

    convenience init(_ store: any MediaStore, _ stage: Stage, _ error: MediaStoreError) {
        self.init(store) { now throws(MediaStoreError) in if now == stage { throw error } }
    }

    var graceTime: Duration { store.graceTime }

    func begin() async throws(MediaStoreError) -> any MediaWriter {
        try await fault(.begin)
        return Writer(try await store.begin(), fault)
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
        private let fault: Fault

        init(_ writer: any MediaWriter, _ fault: @escaping Fault) {
            self.writer = writer
            self.fault = fault
        }

        var bytes: Int { writer.bytes }
        var type: MediaType? { writer.type }

        func write(_ piece: ByteBuffer) async throws(MediaStoreError) {
            try await fault(.write)
            try await writer.write(piece)
        }

        func inspect<Value: Sendable>(
            _ body: @escaping @Sendable (StagedMedia) throws(MediaStoreError) -> Value
        ) async throws(MediaStoreError) -> Value { try await writer.inspect(body) }

        func finish() async throws(MediaStoreError) -> StoredObject {
            try await fault(.finish)
            return try await writer.finish()
        }

        func abort() async { await writer.abort() }
    }
}
