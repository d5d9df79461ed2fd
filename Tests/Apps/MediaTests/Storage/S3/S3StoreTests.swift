@testable import Media
import NIOHTTP1
@testable import S3
import S3Support
import TestSupport
import Testing

@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: MotoServer.absence == nil, "moto_server is not installed"))
struct S3StoreTests {
    static let credentials = S3Credentials(accessKeyID: "test", secretAccessKey: "test")

    let scratch = Scratch()

    private func withStore(
        prefix: String = "", graceTime: Duration = .seconds(3600),
        _ body: (S3Store, S3Bucket) async throws -> Void
    ) async throws {
        let bucket = try await MotoServer.shared.freshBucket(prefix: prefix)
        let store = try S3Store(
            bucket, credentials: Self.credentials, stagingDirectory: scratch.path,
            graceTime: graceTime, threads: 2, partBytes: 5 << 20)
        do {
            try await body(store, bucket)
        } catch {
            await store.shutdown()
            throw error
        }
        await store.shutdown()
    }

    @Test(arguments: [0, 1, 100_000, 5 << 20])
    func `an object is read back, whole and in ranges`(count: Int) async throws {
        try await withStore { store, _ in
            var dice = Dice(seed: UInt64(count))
            let bytes = dice.bytes(count)
            let stored = try await store.put(bytes)
            #expect(stored.bytes == count)
            #expect(try await store.get(stored.name) == bytes)
            for _ in 0..<5 where count > 0 {
                let start = Int.random(in: 0..<count, using: &dice)
                let end = Int.random(in: start...count, using: &dice)
                #expect(try await store.get(stored.name, start..<end) == Array(bytes[start..<end]))
            }
            #expect(scratch.files() == [])
        }
    }

    @Test func `a large object is uploaded in parts`() async throws {
        try await withStore { store, bucket in
            var dice = Dice(seed: 7)
            let bytes = dice.bytes((10 << 20) + 17)
            let stored = try await store.put(bytes, pieces: 1 << 20)
            #expect(try await store.get(stored.name) == bytes)
            // The tag of an object made of three parts says so.
            let tag = XMLText(try await MotoServer.shared.page(bucket.name)).first("ETag")
            #expect(tag?.hasSuffix("-3\"") == true)
        }
    }

    @Test func `keys are the digest, a number of their own, and the prefix`() async throws {
        try await withStore(prefix: "a/b") { store, bucket in
            let first = try await store.put(Array("abc".utf8))
            let second = try await store.put(Array("abc".utf8))
            #expect(first.digest.hex == DirectoryStoreTests.abc && first.digest == second.digest)
            #expect(first.name != second.name)
            let page = try await MotoServer.shared.page(bucket.name)
            for name in [first.name.text, second.name.text] {
                #expect(page.contains("<Key>a/b/objects/ba/\(name.dropFirst(2))</Key>"))
            }
        }
    }

    @Test func `an absent object is missing`() async throws {
        try await withStore { store, _ in
            let name = try #require(ObjectName(DirectoryStoreTests.abc + "-0123456789abcdef"))
            await #expect(throws: MediaStoreError.missing(name)) { try await store.open(name) }
            #expect(try await !store.renew(name))
            #expect(try await !store.removeOld(name))
        }
    }

    @Test func `an absent bucket is reported at once`() async throws {
        let bucket = try await MotoServer.shared.freshBucket()
        guard
            case .bucket(let missing) = try StoreLocation.parse(
                "s3://no-such-bucket?endpoint=\(bucket.scheme)://\(bucket.host)")
        else { return }
        let store = try S3Store(
            missing, credentials: Self.credentials, stagingDirectory: scratch.path)
        await #expect(throws: MediaStoreError.refused(status: 404, code: "NoSuchBucket")) {
            try await store.put([1])
        }
        await #expect(throws: MediaStoreError.refused(status: 404, code: "NoSuchBucket")) {
            try await store.oldObjects(after: nil, limit: 10)
        }
        await store.shutdown()
    }

    @Test func `old objects are listed in pages and removed`() async throws {
        try await withStore(prefix: "p", graceTime: .zero) { store, _ in
            var names: [ObjectName] = []
            for number in 0..<5 { names.append(try await store.put([UInt8(number)]).name) }
            // With a grace time of zero an object is old after a second of the server's clock.
            try await Task.sleep(for: .milliseconds(2100))
            var listed: [ObjectName] = []
            var last: ObjectName?
            repeat {
                let page = try await store.oldObjects(after: last, limit: 2)
                listed += page.objects
                last = page.next
            } while last != nil
            #expect(listed == names.sorted())
            #expect(try await store.removeOld(names[0]))
            #expect(try await !store.removeOld(names[0]))
            await #expect(throws: MediaStoreError.missing(names[0])) {
                try await store.open(names[0])
            }
        }
    }

    @Test func `young objects stay`() async throws {
        try await withStore { store, _ in
            let name = try await store.put([1]).name
            #expect(try await store.oldObjects(after: nil, limit: 10).objects == [])
            #expect(try await !store.removeOld(name))
            #expect(try await store.renew(name))
        }
    }

    @Test func `parts of an unfinished upload are dropped`() async throws {
        try await withStore(graceTime: .zero) { store, bucket in
            let key = "objects/aa/\(String(repeating: "0", count: 62))-0123456789abcdef"
            let begin = S3Request(method: .POST, key: key, query: [("uploads", "")])
            _ = try await store.client.text(begin)
            #expect(try await MotoServer.shared.page(bucket.name + "?uploads").contains(key))
            try await Task.sleep(for: .milliseconds(2100))
            #expect(try await store.removeLeftovers() == 1)
            #expect(try await !MotoServer.shared.page(bucket.name + "?uploads").contains(key))
        }
    }

    @Test func `an upload that is given up never reaches the bucket`() async throws {
        try await withStore { store, bucket in
            let writer = try await store.begin()
            try await writer.write([UInt8](repeating: 1, count: 1 << 20).span.bytes)
            #expect(scratch.files() == [])
            await writer.abort()
            await #expect(throws: MediaStoreError.ended) { try await writer.finish() }
            #expect(try await !MotoServer.shared.page(bucket.name).contains("<Key>"))
        }
    }
}
