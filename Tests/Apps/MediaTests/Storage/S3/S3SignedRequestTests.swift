@testable import Media
@testable import S3
import S3Support
import TestSupport
import Testing

/// Against a server that checks signatures with Amazon's own library. Lists are left out, because
/// that server rejects even its own client's if a parameter contains a slash. Amazon's documented
/// example covers them.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(if: MotoServer.absence == nil, "moto_server is not installed"))
struct S3SignedRequestTests {
    @Test func `every request is signed as the server wants it`() async throws {
        let server = MotoServer(freeActions: 4)
        let credentials = try await server.freshUser()
        let bucket = try await server.freshBucket(prefix: "a~b/c.d")
        let scratch = Scratch()
        let store = try S3Store(
            bucket, credentials: credentials, stagingDirectory: scratch.path, graceTime: .zero,
            threads: 2, partBytes: 5 << 20)
        var dice = Dice(seed: 4)
        let bytes = dice.bytes((5 << 20) + 1)
        let stored = try await store.put(bytes, pieces: 1 << 20)
        let small = try await store.put(Array("abc".utf8))
        #expect(try await store.get(small.name) == Array("abc".utf8))
        #expect(try await store.get(stored.name, 5..<1_000_000) == Array(bytes[5..<1_000_000]))
        try await Task.sleep(for: .milliseconds(2100))
        #expect(try await store.removeOld(stored.name))
        await store.shutdown()

        let wrong = try S3Store(
            bucket,
            credentials: S3Credentials(
                accessKeyID: credentials.accessKeyID, secretAccessKey: "another"),
            stagingDirectory: scratch.path)
        await #expect(throws: MediaStoreError.refused(status: 403, code: "SignatureDoesNotMatch")) {
            try await wrong.put([1])
        }
        await wrong.shutdown()
    }
}
