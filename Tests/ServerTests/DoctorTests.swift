import Foundation
import Postgres
import TestSupport
import Testing

/// `sluice doctor` on real installations.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct DoctorTests {
    private struct Report: Decodable {
        struct Finding: Decodable {
            let area: String
            let name: String
            let severity: String
            let found: String
            let fix: [String]
        }
        let severity: String
        let findings: [Finding]

        func finding(_ area: String, _ name: String) throws -> Finding {
            try #require(findings.first { $0.area == area && $0.name == name }, "\(area) \(name)")
        }
    }

    private func examine(
        _ environment: [String: String], _ arguments: String...
    ) async throws -> (status: Int32, report: Report) {
        let outcome = try await Subprocess.run(
            Subprocess.sluice, ["doctor", "--json"] + arguments, environment: environment)
        let data = Data(outcome.out.utf8)
        let report = try #require(
            try? JSONDecoder().decode(Report.self, from: data), "\(outcome.out)\(outcome.err)")
        return (outcome.status, report)
    }

    @Test func `items that a pass can't process are named, and counted on the metrics page`()
        async throws
    {
        let (environment, settings) = try Fixtures.environment("doctor")
        let connection = try Connection.open(settings, deadline: .now + .seconds(60))
        defer { connection.close() }
        var failing = try FailingItems(.retention, on: connection)
        for _ in 1...2 {
            try failing.failed(
                "gps_20200101", PostgresError(.refused, message: "no room"), on: connection)
        }
        let server = try await RunningServer.start(environment: environment)
        let isCounted = try await eventually {
            try await server.get("/metrics").body.contains(
                "\nsluice_failing_items{pass=\"retention\"} 1\n")
        }
        #expect(isCounted)
        let finding = try await examine(environment).report.finding("work", "failing, retention")
        #expect(finding.severity == "warning")
        #expect(finding.found == "gps_20200101, 2 times: refused no room")
        #expect(try await server.end() == 0)
    }

    @Test func `beside a server it reports the settings of that server's database`() async throws {
        let (environment, _) = try Fixtures.environment("doctor")
        let server = try await RunningServer.start(environment: environment)
        // A server listens before it has created the days ahead.
        try #require(
            await eventually {
                try await examine(environment).report.finding("tables", "days ahead").severity
                    == "ok"
            })
        let (status, report) = try await examine(environment)
        // The tests' cluster trades safety for speed.
        #expect(status == 2 && report.severity == "problem")
        #expect(try report.finding("settings", "fsync").found == "off")
        #expect(try report.finding("settings", "fsync").severity == "problem")
        #expect(try report.finding("database", "schema").severity == "ok")
        #expect(try report.finding("tables", "days ahead").severity == "ok")
        #expect(try report.finding("keys", "keys").found == "1 configured, 0 issued")
        #expect(try !report.finding("machine", "file limit").found.contains("this shell"))
        #expect(try report.finding("keys", "open routes").severity == "notice")
        #expect(try report.finding("spool", "size").severity == "ok")
        #expect(try report.finding("disks", "uploaded files").found.contains("free on"))
        let quiet = try await examine(environment, "--quiet")
        #expect(quiet.status == 2 && quiet.report.findings.allSatisfy { $0.severity != "ok" })
        #expect(quiet.report.findings.count < report.findings.count)
        let text = try await Subprocess.sluice("doctor", environment: environment)
        #expect(text.status == 2 && text.out.contains("\n  problem  fsync"), "\(text.out)")
        #expect(!text.out.contains("\u{1B}"))
        #expect(try await server.end() == 0)
    }

    @Test func `without PostgreSQL's programs it names what to install`() async throws {
        let (status, report) = try await examine([
            "SLUICE_POSTGRES_BIN": "/there/is/no/such/directory",
            "SLUICE_DATA_DIR": TestCluster.freshDirectory(),
        ])
        #expect(status == 2)
        let reach = try report.finding("database", "reachable")
        #expect(reach.severity == "problem" && reach.found.contains("no PostgreSQL"))
        #expect(try report.finding("machine", "file limit").found.contains("in this shell"))
    }

    @Test func `without a database it reports that, and examines the rest`() async throws {
        let secret = "s3cret"
        let (status, report) = try await examine([
            "DATABASE_URL":
                "postgresql://writer:\(secret)@127.0.0.1:\(TestCluster.freePort())/none",
            "SLUICE_DATA_DIR": TestCluster.freshDirectory(),
        ])
        #expect(status == 2)
        let reach = try report.finding("database", "reachable")
        #expect(reach.severity == "problem" && !reach.found.contains(secret))
        #expect(!report.findings.contains { $0.area == "settings" })
        #expect(try report.finding("machine", "memory").found.contains("GiB"))
        #expect(try report.finding("disks", "data directory").severity != "problem")
    }

    @Test
    func `a private cluster is not created, and a stopped one is started for the examination`()
        async throws
    {
        var environment = ["SLUICE_DATA_DIR": TestCluster.freshDirectory()]
        let directory = environment["SLUICE_DATA_DIR"] ?? ""
        defer { TestCluster.discard(directory) }
        let before = try await examine(environment)
        #expect(try before.report.finding("database", "reachable").severity == "notice")
        #expect(!FileManager.default.fileExists(atPath: directory))
        environment["INGEST_API_KEY"] = "test-key"
        let server = try await RunningServer.start(environment: environment)
        let beside = try await examine(environment)
        #expect(!beside.report.findings.contains { $0.name == "running" })
        #expect(try await server.end() == 0)
        let after = try await examine(environment)
        #expect(try after.report.finding("database", "running").severity == "notice")
        for report in [beside.report, after.report] {
            // Sluice configures its own cluster, so no setting has a fault.
            #expect(report.findings.filter { $0.area == "settings" && $0.severity != "ok" }.isEmpty)
            #expect(try report.finding("settings", "data_checksums").found == "on")
        }
        let restarted = try await Subprocess.sluice(
            "psql", "-Atc", "select 1", environment: environment)
        #expect(restarted.out == "1\n", "\(restarted.err)")
    }

    @Test
    func `an invalid certificate is a problem, and a key file that others can read a warning`()
        async throws
    {
        let path = TestCluster.freshDirectory()
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        for name in ["c.pem", "k.pem", "ingest.key"] {
            try Data("x\n".utf8).write(to: URL(fileURLWithPath: path + "/" + name))
            chmod(path + "/" + name, 0o644)
        }
        var environment = try Fixtures.environment("doctor").environment
        environment["SLUICE_DATA_DIR"] = path
        environment["INGEST_API_KEY"] = nil
        environment["SLUICE_TLS_CERT"] = path + "/c.pem"
        environment["SLUICE_TLS_KEY"] = path + "/k.pem"
        let (_, report) = try await examine(environment)
        let certificate = try report.finding("tls", "certificate")
        #expect(certificate.severity == "problem" && certificate.found.contains("no certificate"))
        #expect(try report.finding("tls", "private key").found == "mode 644")
        #expect(try report.finding("keys", "key file").severity == "warning")
    }
}
