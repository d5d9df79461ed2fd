import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)), .serialized)
struct TopTests {
    @Test func `one report is printed as text and as JSON, with the readings that were sent`()
        async throws
    {
        let (environment, _) = try Fixtures.environment("top")
        let server = try await RunningServer.start(environment: environment)
        for _ in 0..<3 {
            #expect(try await server.post(Fixtures.sample).status == 200)
        }
        let text = try await Subprocess.sluice(
            "top", "--once", "--url", server.url, environment: environment)
        #expect(text.status == 0, "\(text.err)")
        for part in ["requests/s", "slowest devices", "11111111-1111-1111-1111-111111111111"] {
            #expect(text.out.contains(part), "\(text.out)")
        }
        #expect(text.out.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(!text.out.contains("\u{1B}"))
        let json = try await Subprocess.sluice(
            "top", "--once", "--json", "--url", server.url + "/status/", environment: environment)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(json.out.utf8)) as? [String: Any])
        let totals = try #require(report["totals"] as? [String: Double])
        #expect(totals["requests"] == 3)
        #expect(totals["stored"] == 3)
        #expect(totals["duplicates"] == 6)
        #expect((report["lanes"] as? [Any])?.isEmpty == false)
        #expect(try await server.end() == 0)
    }

    @Test func `a running sluice top does not delay a server's stop`() async throws {
        let (environment, _) = try Fixtures.environment(
            "top_end", ["SLUICE_SHUTDOWN_WITHIN": "10m"])
        let server = try await RunningServer.start(environment: environment)
        let file = URL(filePath: TestCluster.freshDirectory())
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let watching = Process()
        watching.executableURL = URL(filePath: Subprocess.sluice)
        watching.arguments = ["top", "--json", "--url", server.url]
        watching.environment = Subprocess.bareEnvironment.merging(environment) { $1 }
        watching.standardInput = FileHandle.nullDevice
        watching.standardOutput = try FileHandle(forWritingTo: file)
        watching.standardError = FileHandle.nullDevice
        try watching.run()
        defer { kill(watching.processIdentifier, SIGKILL) }
        let isWatching = try await eventually(every: .milliseconds(50)) {
            try String(contentsOf: file, encoding: .utf8).contains("\n")
        }
        #expect(isWatching)
        // A server that waited for it would take ten minutes to stop.
        #expect(try await server.end() == 0)
        // It tries for ever to reach the server again.
        #expect(watching.isRunning)
        // A test that was started in the background ignores SIGINT, and so do its children.
        kill(watching.processIdentifier, SIGTERM)
        #expect(try await eventually(every: .milliseconds(50)) { !watching.isRunning })
    }

    @Test func `an unreachable server is reported, with exit code 69`() async throws {
        let outcome = try await Subprocess.sluice(
            "top", "--once", "--url", "http://127.0.0.1:1", environment: [:])
        #expect(outcome.status == 69)
        #expect(outcome.err.contains("http://127.0.0.1:1: nobody answers"), "\(outcome.err)")
        let wrong = try await Subprocess.sluice(
            "top", "--url", "ftp://127.0.0.1", environment: [:])
        #expect(wrong.status == 64)
    }

    @Test(arguments: [
        ["top", "--interval", "5"], ["top", "--interval", "500ms"], ["top", "--interval", "2h"],
        ["health", "--timeout", "3"], ["health", "--timeout", "0s"],
        ["serve", "--set", "SLUICE_DATABASE_URL=postgresql://127.0.0.1:1/x", "--drain", "30"],
    ])
    func `times on the command line have a unit, as in settings`(_ words: [String]) async throws {
        let outcome = try await Subprocess.run(Subprocess.sluice, words, environment: [:])
        #expect(outcome.status == 64)
        #expect(
            outcome.err.contains(words[1]) || outcome.err.contains("SLUICE_SHUTDOWN_WITHIN"),
            "\(outcome.err)")
    }

    @Test func `a server with keys shows nothing without a key`() async throws {
        let (environment, _) = try Fixtures.environment(
            "top_keys", ["SLUICE_APP_KEYS": "application-key-of-32-characters!"])
        let server = try await RunningServer.start(environment: environment)
        let without = try await Subprocess.sluice(
            "top", "--once", "--url", server.url, environment: [:])
        #expect(without.status == 77)
        #expect(without.err.contains("--scope status"), "\(without.err)")
        let with = try await Subprocess.sluice(
            "top", "--once", "--url", server.url,
            environment: ["SLUICE_STATUS_KEY": "application-key-of-32-characters!"])
        #expect(with.status == 0, "\(with.err)")
        #expect(try await server.end() == 0)
    }
}
