import Foundation
import Postgres
import TestSupport
import Testing

/// `sluice serve` with only a directory, as in `make run`.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct PrivateClusterTests {
    let directory = TestCluster.freshDirectory()
    let environment: [String: String]

    init() {
        environment = ["SLUICE_DATA_DIR": directory, "SLUICE_READING_AGE_MAX": Fixtures.sampleAge]
    }

    private func counts() async throws -> String {
        let outcome = try await Subprocess.sluice(
            "psql", "-At", "-c",
            "select (select count(*) from analytics.gps), (select count(*) from analytics.vital), "
                + "(select count(*) from analytics.event)", environment: environment)
        #expect(outcome.status == 0, "\(outcome.err)")
        return outcome.out.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The curl command of the banner, as an operator would copy it.
    private func printedCurl(_ server: RunningServer) throws -> String {
        let text = server.output
        let start = try #require(text.range(of: "curl -X POST"))
        let end = try #require(text.range(of: "}]}'", range: start.lowerBound..<text.endIndex))
        return String(text[start.lowerBound..<end.upperBound])
    }

    @Test(arguments: [
        ["forget", "ann", "--yes"], ["export", "gps"], ["psql", "-c", "select 1"],
        ["keys", "list"], ["analyst", "list"], ["archive", "list"], ["quarantine", "list"],
        ["jobs", "list"],
    ])
    func `in a wrong directory commands report that there is no database`(
        command: [String]
    ) async throws {
        defer { TestCluster.discard(directory) }
        let outcome = try await Subprocess.run(
            Subprocess.sluice, command, environment: environment)
        #expect(outcome.status == 66)
        #expect(outcome.out == "")
        #expect(outcome.err.contains("\(directory): there is no database here"), "\(outcome.err)")
        #expect(!FileManager.default.fileExists(atPath: directory))
    }

    @Test func `sealed days are read by commands that start the cluster on other ports`()
        async throws
    {
        defer { TestCluster.discard(directory) }
        var environment = environment
        func sluice(_ arguments: String...) async throws -> String {
            let outcome = try await Subprocess.run(
                Subprocess.sluice, arguments, environment: environment)
            #expect(outcome.status == 0, "\(arguments) \(outcome)")
            return outcome.out
        }
        let count = ["psql", "-At", "-c", "select count(*), sum(value) from analytics.vital"]
        environment["SLUICE_SQL_PORT"] = "-1"
        _ = try await sluice("migrate")
        _ = try await sluice(
            "psql", "-c",
            """
            select sluice.ensure_days('2026-02-10', '2026-02-10');
            insert into sluice.device (device_key, device_id, user_id) values (1, 'd', 'u');
            insert into sluice.vital select 1, '2026-02-10 10:00Z'::timestamptz + i * interval '1 s', 1, 60
                from generate_series(1, 100) i
            """)
        let sealed = try await sluice("days", "seal", "2026-02-10", "--kind", "vital")
        #expect(sealed.contains("; less than 256 KiB is not worth it\n"), "\(sealed)")
        for port in [TestCluster.freePort(), TestCluster.freePort()] {
            environment["SLUICE_SQL_PORT"] = "\(port)"
            let outcome = try await Subprocess.run(
                Subprocess.sluice, count, environment: environment)
            #expect(outcome.out == "100|6000\n", "\(outcome)")
        }
        #expect(try await sluice("days", "verify") == "1 sealed days are whole\n")
    }

    @Test func `an address in use is reported before anything is created`() async throws {
        defer { TestCluster.discard(directory) }
        let port = TestCluster.freePort()
        let other = try await RunningServer.start(
            environment: try Fixtures.environment("port").environment,
            arguments: ["--port", "\(port)"])
        let outcome = try await Subprocess.sluice(
            "serve", "--port", "\(port)", environment: environment)
        #expect(outcome.status != 0 && outcome.err.contains("\(port)"), "\(outcome.err)")
        #expect(!FileManager.default.fileExists(atPath: directory))
        #expect(try await other.end() == 0)
    }

    /// The output of psql over TCP, as that role.
    private func ask(
        _ port: String, _ role: String, _ password: String, _ sql: String
    ) async throws -> Subprocess.Outcome {
        try await Subprocess.run(
            "/bin/sh", ["-c", "psql -X -At -c '\(sql)'"],
            environment: [
                "PGHOST": "127.0.0.1", "PGPORT": port, "PGUSER": role, "PGPASSWORD": password,
                "PGDATABASE": "sluice", "PGCONNECT_TIMEOUT": "10",
            ])
    }

    private func printedPort(_ server: RunningServer) throws -> String {
        try String(
            #require(server.output.firstMatch(of: #/SQL +127\.0\.0\.1:(\d+)/#), "\(server.output)")
                .1)
    }

    @Test func `analysts connect over TCP with their passwords, and nobody else can`() async throws
    {
        defer { TestCluster.discard(directory) }
        var server = try await RunningServer.start(environment: environment)
        let port = try printedPort(server)
        let made = try await Subprocess.sluice("analyst", "create", "ann", environment: environment)
        #expect(made.status == 0 && made.err.contains("port='\(port)'"), "\(made.err)")
        let password = made.out.trimmingCharacters(in: .whitespacesAndNewlines)
        let read = try await ask(port, "ann", password, "select count(*) from gps")
        #expect(read.out == "0\n", "\(read.err)")
        let wrong = try await ask(port, "ann", "wrong", "select 1")
        #expect(wrong.status == 2 && wrong.err.contains("password authentication failed"))

        for sql in [
            "alter role sluice password 'secret'", "create role bob login password 'secret'",
        ] {
            let changed = try await Subprocess.sluice("psql", "-c", sql, environment: environment)
            #expect(changed.status == 0, "\(changed.err)")
        }
        for role in ["sluice", "bob"] {
            let refused = try await ask(port, role, "secret", "select 1")
            #expect(refused.status == 2 && refused.err.contains("rejects connection"), "\(refused)")
        }
        #expect(try await ask(port, "sluice_reader", "secret", "select 1").status == 2)
        #expect(try await server.end() == 0)

        // The port stays the same, so Grafana still finds it.
        server = try await RunningServer.start(environment: environment)
        #expect(try printedPort(server) == port)
        #expect(try await ask(port, "ann", password, "select 1").out == "1\n")
        #expect(try await server.end() == 0)
        server = try await RunningServer.start(
            environment: environment.merging(["SLUICE_SQL_PORT": "-1"]) { $1 })
        #expect(!server.output.contains("  SQL "))
        #expect(try await ask(port, "ann", password, "select 1").status == 2)
        #expect(try await counts() == "0|0|0")
        #expect(try await server.end() == 0)
    }

    @Test func `readings that the printed curl stores survive a restart and a kill`() async throws {
        defer { TestCluster.discard(directory) }
        // The first start creates everything.
        let first = try await RunningServer.start(environment: environment)
        let keyFile = directory + "/ingest.key"
        let kept = try String(contentsOfFile: keyFile, encoding: .utf8)
        let made = try #require(kept.wholeMatch(of: #/(slk_[-_A-Za-z0-9]{43})\n/#))
        let key = String(made.1)
        // Standard output is no terminal here, and may be a log.
        #expect(!first.output.contains(key))
        let attributes = try FileManager.default.attributesOfItem(atPath: keyFile)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(!first.log.contains(key))
        let curl = try printedCurl(first)
        let sample = try #require(curl.range(of: " -d '").map { curl[$0.lowerBound...] })
        var reply = try await Subprocess.run("/bin/bash", ["-c", curl])
        #expect(
            reply.out
                == #"{"status":"accepted","records":3,"stored":3,"duplicates":0,"quarantined":0}"#)
        #expect(try await counts() == "1|1|1")

        // A second server in the same directory reports the cause.
        let second = try await Subprocess.sluice("serve", "--port", "0", environment: environment)
        #expect(second.status == 75)
        #expect(second.err.contains(directory) && second.err.contains("another sluice"))

        #expect(try await first.end(SIGINT) == 0)
        #expect(first.log.contains("stopped"))
        #expect(PrivateCluster.runningSettings(dataDirectory: directory) == nil)

        // Without a server, psql runs the cluster for as long as it needs it.
        #expect(try await counts() == "1|1|1")
        #expect(PrivateCluster.runningSettings(dataDirectory: directory) == nil)

        // The second start finds key and data, and does not print the key.
        let third = try await RunningServer.start(environment: environment)
        #expect(!third.output.contains(key))
        func again(_ server: RunningServer) throws -> String {
            let curl = try printedCurl(server)
            let end = try #require(curl.range(of: " -d '")).lowerBound
            return String(curl[..<end] + sample)
        }
        reply = try await Subprocess.run("/bin/bash", ["-c", try again(third)])
        #expect(reply.out.contains(#""stored":0,"duplicates":3"#), "\(reply)")

        // A crash leaves the cluster running; the next start adopts it.
        #expect(try await third.end(SIGKILL) == 128 + SIGKILL)
        #expect(PrivateCluster.runningSettings(dataDirectory: directory) != nil)
        let fourth = try await RunningServer.start(environment: environment)
        reply = try await Subprocess.run("/bin/bash", ["-c", try again(fourth)])
        #expect(reply.out.contains(#""stored":0,"duplicates":3"#), "\(reply)")
        #expect(try await counts() == "1|1|1")
        #expect(try await fourth.end(SIGTERM) == 0)
        #expect(PrivateCluster.runningSettings(dataDirectory: directory) == nil)
    }

    @Test func `migrate creates a cluster, and commands leave nothing running`() async throws {
        defer { TestCluster.discard(directory) }
        let migrated = try await Subprocess.sluice("migrate", environment: environment)
        #expect(migrated.status == 0, "\(migrated.err)")
        let created = try await Subprocess.sluice(
            "keys", "create", "phones", environment: environment)
        #expect(created.status == 0, "\(created.err)")
        #expect(created.out.wholeMatch(of: #/slk_[-_A-Za-z0-9]{43}\n/#) != nil)
        let listed = try await Subprocess.sluice("keys", "list", environment: environment)
        #expect(listed.out.contains("phones") && listed.out.contains("in force"))
        #expect(!listed.out.contains(created.out.dropFirst(8).dropLast()))
        #expect(PrivateCluster.runningSettings(dataDirectory: directory) == nil)
        let psql = try await Subprocess.sluice(
            "psql", "-c", "select 1/0", environment: environment)
        #expect(psql.status == 1)
        #expect(PrivateCluster.runningSettings(dataDirectory: directory) == nil)
    }

    @Test func `a signal during the first start ends it cleanly`() async throws {
        defer { TestCluster.discard(directory) }
        // Repeats if the machine stalls until the start is over.
        for _ in 0..<20 {
            TestCluster.discard(directory)
            // The signal is sent when the cluster's directory exists, which is long before the
            // cluster runs.
            let script = """
                "$0" serve --port 0 & server=$!
                while kill -0 $server && [ ! -e "$1/postgres" ]; do sleep 0.01; done
                kill -INT $server; wait $server; echo "status $?"
                """
            let outcome = try await Subprocess.run(
                "/bin/bash", ["-c", script, Subprocess.sluice, directory],
                environment: environment)
            if outcome.out.contains("is serving") { continue }
            #expect(outcome.out.contains("status 0"), "\(outcome.err)")
            #expect(outcome.err.contains("stopping") && outcome.err.contains("stopped"))
            #expect(PrivateCluster.runningSettings(dataDirectory: directory) == nil)
            return
        }
        Issue.record("every start was over before the signal")
    }
}
