import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)), .serialized)
struct KeysTests {
    @Test func `keys that are created and revoked beside a server take effect soon`() async throws {
        let (environment, _) = try Fixtures.environment("keys")
        let server = try await RunningServer.start(environment: environment)
        let created = try await Subprocess.sluice(
            "keys", "create", "phones", "--expires", "1d", environment: environment)
        #expect(created.status == 0, "\(created.err)")
        let key = created.out.trimmingCharacters(in: .newlines)
        let works = try await eventually(every: .milliseconds(50)) {
            try await server.post(Fixtures.sample, key: key).status == 200
        }
        #expect(works)
        let twice = try await Subprocess.sluice(
            "keys", "create", "phones", environment: environment)
        #expect(twice.status == 64 && twice.err.contains("phones"))

        let revoked = try await Subprocess.sluice(
            "keys", "revoke", "phones", environment: environment)
        #expect(revoked.status == 0, "\(revoked.err)")
        let stopped = try await eventually(every: .milliseconds(50)) {
            try await server.post(Fixtures.sample, key: key).status == 401
        }
        #expect(stopped)
        #expect(try await server.post(Fixtures.sample).status == 200)
        let none = try await Subprocess.sluice(
            "keys", "revoke", "phones", environment: environment)
        #expect(none.status == 65)

        #expect(try await server.end() == 0)
        let listed = try await Subprocess.sluice("keys", "list", environment: environment)
        #expect(listed.out.contains("revoked") && !listed.out.contains("never"))
        for text in [server.output, server.log, listed.out, revoked.out, created.err] {
            #expect(!text.contains(key) && !text.contains("test-key"))
        }
    }

    @Test func `both keys of a rotation are accepted`() async throws {
        let (environment, _) = try Fixtures.environment(
            "rotation", ["INGEST_API_KEY": "old, new,,"])
        let server = try await RunningServer.start(environment: environment)
        for (key, status) in [("old", 200), ("new", 200), ("old, new,,", 401), ("", 401)] {
            #expect(try await server.post(Fixtures.sample, key: key).status == status)
        }
        #expect(server.output.contains("INGEST_API_KEY, 2 keys"))
        _ = try await server.end()
    }

    @Test(arguments: [
        "yesterday", "0d", "2020-01-01T00:00:00Z", "-3d", "3000000d", "106751991167d",
        "9223372036854775807ms",
    ])
    func `an invalid expiry is rejected`(expires: String) async throws {
        let outcome = try await Subprocess.sluice(
            "keys", "create", "x", "--expires=\(expires)", environment: [:])
        #expect(outcome.status == 64)
    }
}
