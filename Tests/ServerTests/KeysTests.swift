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
        #expect(server.output.contains("SLUICE_INGEST_API_KEY, 2 keys"))
        let listed = try await Subprocess.sluice(
            "keys", "list", environment: environment.merging(["SLUICE_APP_KEYS": "app"]) { $1 })
        for name in ["SLUICE_INGEST_API_KEY #2 ", "SLUICE_APP_KEYS "] {
            #expect(listed.out.contains("\n" + name), "\(listed.out)")
        }
        _ = try await server.end()
    }

    @Test func `a key for a phone is a URL to paste, and brings its user's readings`() async throws
    {
        let (environment, settings) = try Fixtures.environment(
            "phone", ["SLUICE_LOG_LEVEL": "trace"])
        let server = try await RunningServer.start(environment: environment)
        let created = try await Subprocess.sluice(
            "keys", "create", "--for", "overland", "--user", "ann", "--url",
            "https://sluice.example.org/", "--qr", environment: environment)
        #expect(created.status == 0, "\(created.err)")
        let url = created.out.trimmingCharacters(in: .newlines)
        let start = "https://sluice.example.org/in/overland/"
        #expect(url.hasPrefix(start + "slk_"))
        let key = String(url.dropFirst(start.count))
        #expect(created.err.hasPrefix("ann-overland: for ingest, of the user ann only, "))
        // A code is a square: each line has two rows, and stands between two colours.
        let code = created.err.split(separator: "\n").filter { $0.contains("█") }
        #expect(code.count > 20 && code.allSatisfy { $0.hasPrefix("\u{1B}[97;40m█") })
        let widths = Set(code.map { $0.dropFirst(8).prefix { $0 != "\u{1B}" }.count })
        #expect(widths.count == 1 && abs((widths.first ?? 0) - 2 * code.count) <= 1)

        func send(_ body: String, to path: String) async throws -> Answer {
            try await Answer.curl(
                ["-X", "POST", server.url + path, "--data-binary", "@-"], input: body)
        }
        let place = #"{"type":"Feature","geometry":{"coordinates":[13.4,52.5]},"properties":{"#
        let now = Int(Date().timeIntervalSince1970)
        let batch = #"{"locations":["# + place + #""timestamp":\#(now),"device_id":"phone"}}]}"#
        let isKnown = try await eventually(every: .milliseconds(50)) {
            try await send(batch, to: "/in/overland/\(key)").status == 200
        }
        #expect(isKnown)
        for _ in 0..<2 {
            let answer = try await send(batch, to: "/in/overland/\(key)")
            #expect(answer.status == 200)
            #expect(answer.body == #"{"result":"ok"}"#)
        }
        #expect(try Fixtures.count("analytics.gps where user_id = 'ann'", settings) == 1)
        let bob = #"{"metadata":{"device_id":"phone","user_id":"bob"},"data":[]}"#
        #expect(try await server.post(bob, key: key).status == 403)
        #expect(try await send(batch, to: "/in/overland/wrong").status == 401)
        #expect(try await send("{", to: "/in/overland/\(key)").status == 400)
        #expect(try await send(batch, to: "/in/x/\(key)").status == 404)
        #expect(try await server.end() == 0)
        let listed = try await Subprocess.sluice("keys", "list", environment: environment)
        #expect(listed.out.contains(" ann "))
        for text in [server.output, server.log, listed.out, created.err] {
            #expect(!text.contains(key))
        }
    }

    @Test(arguments: [
        ["create"], ["create", "--for", "overland"], ["create", "x", "--for", "overlnd"],
        ["create", "x", "--qr"], ["create", "x", "--url", "https://a"],
        ["create", "x", "--user", ""], ["create", "x", "--device", "a\nb"],
        ["create", "x", "--device", "d", "--scope", "meals"],
        ["create", "x", "--user", "u", "--scope", "ingest,status"],
        ["create", "x", "--for", "overland", "--scope", "meals"],
        ["create", "x", "--for", "overland", "--url", "example.org"],
    ])
    func `a key that can't be is refused`(arguments: [String]) async throws {
        let outcome = try await Subprocess.run(
            Subprocess.sluice, ["keys"] + arguments, environment: [:])
        #expect(outcome.status == 64, "\(outcome)")
        if arguments.contains("overlnd") { #expect(outcome.err.contains("overland?")) }
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
