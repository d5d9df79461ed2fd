import NIOCore
import S3
import S3Support
import TestSupport
import Testing

@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: MotoServer.absence == nil, "moto_server is not installed"))
struct S3ObjectTests {
    private static let credentials = S3Credentials(accessKeyID: "test", secretAccessKey: "test")

    private static func client(
        _ plan: [FaultyProxy.Fault] = [.none]
    ) async throws -> (S3Client, FaultyProxy) {
        let proxy = FaultyProxy(to: MotoServer.shared.port, plan: plan)
        let bucket = try await MotoServer.shared.freshBucket(
            endpoint: "http://127.0.0.1:\(proxy.port)")
        return (S3Client(bucket, credentials: credentials), proxy)
    }

    private static func body(_ text: String) -> S3Body { .bytes(ByteBuffer(string: text)) }

    @Test func `an object that is there is not replaced, and is read back`() async throws {
        let (client, proxy) = try await Self.client()
        defer { withExtendedLifetime(proxy) {} }
        try await client.put(Self.body("first"), at: "a/b", replaces: false)
        let error = await #expect(throws: S3Error.self) {
            try await client.put(Self.body("second"), at: "a/b", replaces: false)
        }
        #expect(error?.isPreconditionFailed == true)
        #expect(try await client.head("a/b")?.bytes == 5)
        let middle = try await client.contents(of: "a/b", 1..<4)
        #expect(middle.map { String(buffer: $0) } == "irs")
        #expect(try await client.contents(of: "a/c", 0..<1) == nil)
        try await client.put(Self.body("second"), at: "a/b")
        #expect(try await client.head("a/b")?.bytes == 6)
        try await client.remove("a/b")
        try await client.remove("a/b")
        #expect(try await client.head("a/b") == nil)
    }

    @Test func `a lost answer to what must not replace is told as one that is there`() async throws
    {
        let (client, proxy) = try await Self.client([.cut(after: 0), .none])
        let error = await #expect(throws: S3Error.self) {
            try await client.put(Self.body("mine"), at: "a", replaces: false)
        }
        #expect(error?.isPreconditionFailed == true && proxy.requests.count == 2)
        #expect(try await client.contents(of: "a", 0..<4).map { String(buffer: $0) } == "mine")
    }

    @Test func `a server that knows no buckets is an error`() async throws {
        let (client, proxy) = try await Self.client([.status(404)])
        defer { withExtendedLifetime(proxy) {} }
        let missing = S3Error.refused(status: 404, code: "")
        await #expect(throws: missing) { _ = try await client.objects(under: "") }
        await #expect(throws: missing) { _ = try await client.uploads(under: "") }
        await #expect(throws: missing) { _ = try await S3Upload.begin("a", client) }
    }

    @Test func `a read survives a lost connection`() async throws {
        let (client, proxy) = try await Self.client([.none, .cut(after: 400), .none])
        defer { withExtendedLifetime(proxy) {} }
        var dice = Dice(seed: 1)
        let bytes = dice.bytes(100_000)
        try await client.put(.bytes(ByteBuffer(bytes: bytes)), at: "a")
        let read = try await client.contents(of: "a", 0..<bytes.count)
        #expect(read.map { Array($0.readableBytesView) } == bytes)
    }

    @Test func `keys are listed in pages, by their beginning`() async throws {
        let (client, proxy) = try await Self.client()
        defer { withExtendedLifetime(proxy) {} }
        for key in ["a1", "a2", "a3", "b1"] { try await client.put(Self.body("x"), at: key) }
        let first = try await client.objects(under: "a", limit: 2)
        #expect(first.entries.map(\.key) == ["a1", "a2"] && first.isTruncated)
        let second = try await client.objects(under: "a", after: "a2", limit: 2)
        #expect(second.entries.map(\.key) == ["a3"] && !second.isTruncated)
    }

    @Test func `an unfinished upload is found and dropped`() async throws {
        let (client, proxy) = try await Self.client()
        defer { withExtendedLifetime(proxy) {} }
        var upload = try await S3Upload.begin("a", client)
        try await upload.send(Self.body("part"))
        #expect(try await client.objects(under: "").entries.isEmpty)
        let page = try await client.uploads(under: "a")
        #expect(page.entries.map(\.key) == ["a"] && !page.isTruncated)
        for entry in page.entries { try await client.drop(entry) }
        #expect(try await client.uploads(under: "").entries.isEmpty)
        await #expect(throws: S3Error.self) { try await upload.complete() }
    }
}
