@testable import Media
@testable import S3
import S3Support
import TestSupport
import Testing

@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: MotoServer.absence == nil, "moto_server is not installed"))
struct S3FaultTests {
    let scratch = Scratch()

    private func withStore(
        _ plan: [FaultyProxy.Fault],
        _ body: (S3Store, FaultyProxy, _ bucket: String) async throws -> Void
    ) async throws {
        let proxy = FaultyProxy(to: MotoServer.shared.port, plan: plan)
        let bucket = try await MotoServer.shared.freshBucket(
            endpoint: "http://127.0.0.1:\(proxy.port)")
        let store = try S3Store(
            bucket, credentials: S3StoreTests.credentials, stagingDirectory: scratch.path,
            threads: 2, partBytes: 5 << 20)
        do {
            try await body(store, proxy, bucket.name)
        } catch {
            await store.shutdown()
            throw error
        }
        await store.shutdown()
        #expect(scratch.files() == [])
    }

    @Test func `an upload survives lost connections, server errors and lost answers`() async throws
    {
        let plan: [FaultyProxy.Fault] = [
            .refused, .status(500), .status(503), .cut(after: 0), .none,
        ]
        try await withStore(plan) { store, proxy, bucket in
            var dice = Dice(seed: 1)
            let bytes = dice.bytes(300_000)
            let stored = try await store.put(bytes)
            #expect(Set(proxy.requests).count == 1 && proxy.requests.count == 5)
            #expect(try await store.get(stored.name) == bytes)
            let list = XMLText(try await MotoServer.shared.page(bucket))
            #expect(list.elements("Contents").count == 1)
        }
    }

    @Test func `a download continues where the connection was lost`() async throws {
        try await withStore([.none, .none, .cut(after: 150_000), .cut(after: 90_000), .none]) {
            store, proxy, _ in
            var dice = Dice(seed: 2)
            let bytes = dice.bytes(500_000)
            let stored = try await store.put(bytes)
            #expect(
                try await store.get(stored.name, 1000..<499_000) == Array(bytes[1000..<499_000]))
            #expect(proxy.requests.filter { $0.hasPrefix("GET") }.count == 3)
        }
    }

    @Test func `a server that stays broken is given up, and the bucket is clean`() async throws {
        try await withStore([.status(500)]) { store, proxy, bucket in
            await #expect(throws: MediaStoreError.unavailable(attempts: 5)) {
                try await store.put([1])
            }
            #expect(proxy.requests.count == 5)
            let list = try await MotoServer.shared.page(bucket)
            #expect(!list.contains("<Key>"))
        }
    }

    @Test(arguments: [(403, MediaStoreError.refused(status: 403, code: "")), (507, .full)])
    func `a permanent failure is reported at once`(
        status: Int, expected: MediaStoreError
    ) async throws {
        try await withStore([.status(status)]) { store, proxy, _ in
            await #expect(throws: expected) { try await store.put([1]) }
            #expect(proxy.requests.count == 1)
        }
    }

    @Test func `parts and their sum survive lost answers`() async throws {
        let plan: [FaultyProxy.Fault] = [
            .none, .cut(after: 0), .none, .status(503), .none, .cut(after: 0), .none,
        ]
        try await withStore(plan) { store, _, bucket in
            var dice = Dice(seed: 3)
            let bytes = dice.bytes((5 << 20) + 1)
            let stored = try await store.put(bytes, pieces: 1 << 20)
            #expect(try await store.get(stored.name) == bytes)
            let list = try await MotoServer.shared.page(bucket + "?uploads")
            #expect(!list.contains("<Upload>"))
        }
    }

    @Test func `parts of an upload that fails are dropped`() async throws {
        let plan: [FaultyProxy.Fault] = [.none, .none, .status(403), .none]
        try await withStore(plan) { store, proxy, bucket in
            await #expect(throws: MediaStoreError.refused(status: 403, code: "")) {
                try await store.put([UInt8](repeating: 1, count: (5 << 20) + 1), pieces: 1 << 20)
            }
            #expect(proxy.requests.last?.hasPrefix("DELETE") == true)
            let list = try await MotoServer.shared.page(bucket + "?uploads")
            #expect(!list.contains("<Upload>"))
        }
    }
}
