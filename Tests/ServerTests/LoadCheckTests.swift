import Foundation
import TestSupport
import Testing

/// `sluice load` against a real server: its formats, and what it reads back.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct LoadCheckTests {
    private static func load(
        _ server: RunningServer, database: [String: String], _ arguments: String...
    ) async throws -> Subprocess.Outcome {
        try await Subprocess.run(
            Subprocess.sluice,
            ["load", server.url, "--key", "test-key", "--quiet", "--devices", "20"] + arguments,
            environment: database)
    }

    @Test(arguments: ["ingest", "ndjson", "overland", "owntracks", "otlp"])
    func `what a format brings is read back, each reading once`(format: String) async throws {
        let (environment, settings) = try Fixtures.environment("verify")
        let server = try await RunningServer.start(environment: environment)
        let batch = format == "owntracks" ? "1" : "25"
        let outcome = try await Self.load(
            server, database: environment, "--format", format, "--batch", batch, "--readings",
            "1000", "--resent", "10", "--doubled", "10", "--verify")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.out.contains("verified 1000 rows"), "\(outcome)")
        #expect(outcome.out.contains("✓ every acknowledged reading is stored once"))
        #expect(try Fixtures.count("sluice.device", settings) == 20)
        #expect(try await server.end() == 0)
    }

    @Test func `all bad habits at once are read back, too`() async throws {
        // One of the malformed readings is too old by default.
        let (environment, _) = try Fixtures.environment(
            "rough", ["SLUICE_READING_AGE_MAX": "731d"])
        let server = try await RunningServer.start(environment: environment)
        let outcome = try await Self.load(
            server, database: environment, "--rough", "--readings", "3000", "--verify")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.out.contains("✓ every acknowledged reading is stored once"), "\(outcome)")
        #expect(try await server.end() == 0)
    }

    @Test func `a database that lacks what was acknowledged is noticed`() async throws {
        let (environment, _) = try Fixtures.environment("full")
        let (other, _) = try Fixtures.environment("empty")
        let server = try await RunningServer.start(environment: environment)
        let outcome = try await Self.load(
            server, database: other, "--readings", "200", "--batch", "10", "--verify")
        #expect(outcome.status == 65, "\(outcome)")
        #expect(outcome.out.contains("200 × acknowledged but not stored"), "\(outcome)")
        #expect(try await server.end() == 0)
    }

    @Test func `the key of this machine's server is found as other commands find it`() async throws
    {
        var (environment, _) = try Fixtures.environment("load_key")
        environment["INGEST_API_KEY"] = nil
        let path = (environment["SLUICE_DATA_DIR"] ?? "") + ".conf"
        defer { unlink(path) }
        try "SLUICE_INGEST_API_KEY=of-a-file,other\n"
            .write(toFile: path, atomically: true, encoding: .utf8)
        environment["SLUICE_CONFIG"] = path
        let server = try await RunningServer.start(environment: environment)
        let found = try await Subprocess.sluice(
            "load", server.url, "--config", path, "-d", "1s", "-q", environment: [:])
        #expect(found.status == 0, "\(found)")
        let lost = try await Subprocess.sluice(
            "load", server.url, "-d", "1s", "-q", environment: [:])
        #expect(lost.status == 77 && lost.err.contains("SLUICE_INGEST_API_KEY"), "\(lost)")
        #expect(try await server.end() == 0)
    }

    @Test func `a wrong key ends with its cause and an exit code`() async throws {
        let (environment, _) = try Fixtures.environment("refused")
        let server = try await RunningServer.start(environment: environment)
        let outcome = try await Subprocess.run(
            Subprocess.sluice, ["load", server.url, "--key", "wrong", "-d", "1s", "-q"])
        #expect(outcome.status == 77, "\(outcome)")
        #expect(outcome.err.contains("the key is missing or wrong"), "\(outcome)")
        #expect(try await server.end() == 0)
    }
}
