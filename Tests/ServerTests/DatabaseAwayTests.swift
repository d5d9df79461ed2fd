import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)), .serialized)
struct DatabaseAwayTests {
    /// A server whose cluster can be stopped, with the settings that a test changes.
    private func serve(
        _ cluster: PrivateCluster, _ directory: String, _ changes: [String: String] = [:]
    ) async throws -> RunningServer {
        try await RunningServer.start(
            environment: [
                "DATABASE_URL": cluster.settings.connectionStringWithoutPassword,
                "INGEST_API_KEY": "test-key",
                "SLUICE_DATA_DIR": directory + "-server",
                "SLUICE_PATIENCE": "5s",
                "SLUICE_BACKOFF_MAX": "200ms",
                "SLUICE_READING_AGE_MAX": Fixtures.sampleAge,
            ].merging(changes) { $1 })
    }

    @Test
    func `what was spooled for one database is not stored in another until an operator says so`()
        async throws
    {
        var (environment, first) = try Fixtures.environment(
            "wrong", ["SLUICE_PATIENCE": "500ms", "SLUICE_BACKOFF_MAX": "200ms"])
        var server = try await RunningServer.start(environment: environment)
        #expect(try await server.post(Fixtures.sample).status == 200)
        let owner = try Connection.open(
            TestCluster.shared.server.settings, deadline: .now + .seconds(60))
        try owner.execute(
            """
            ALTER DATABASE \(try #require(first.database)) ALLOW_CONNECTIONS false;
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = '\(first.database ?? "")'
            """)
        let second = Fixtures.sample.replacing("2026-02-10", with: "2026-02-11")
        #expect(try await server.post(second).status == 202)
        #expect(try await server.end() == 0)

        let other = try TestCluster.shared.freshDatabase(named: "wrong")
        environment["DATABASE_URL"] = other.connectionStringWithoutPassword
        server = try await RunningServer.start(environment: environment)
        let third = Fixtures.sample.replacing("2026-02-10", with: "2026-02-12")
        #expect(try await server.post(third).status == 202)
        let isTold = try await eventually {
            server.log.contains("the database is another one")
                && server.log.contains("sluice epoch accept")
        }
        #expect(isTold, "\(server.log)")
        let show = try await Subprocess.sluice("epoch", "show", environment: environment)
        #expect(show.out.contains("refused: the database is another one"), "\(show.out)")
        let doctor = try await Subprocess.sluice("doctor", environment: environment)
        #expect(doctor.out.contains("sluice epoch show"), "\(doctor.out)")
        #expect(try Fixtures.count("sluice.gps", other) == 0)

        let accept = try await Subprocess.sluice(
            "epoch", "accept", "--yes", environment: environment)
        #expect(accept.status == 0, "\(accept.err)")
        let isStored = try await eventually { try Fixtures.count("sluice.gps", other) == 2 }
        #expect(isStored, "\(server.log)")
        #expect(try await server.end() == 0)
    }

    @Test
    func `while the database is unreachable batches are spooled, and stored when it recovers`()
        async throws
    {
        let directory = TestCluster.freshDirectory(isServers: true)
        let cluster = try TestCluster.startServer(dataDirectory: directory)
        defer { try? PrivateCluster.discard(dataDirectory: directory) }
        var server = try await serve(cluster, directory)
        #expect(try await server.post(Fixtures.sample).status == 200)
        let issued = try await Subprocess.sluice(
            "keys", "create", "watch", environment: server.environment
        ).out.trimmingCharacters(in: .newlines)
        let isKnown = try await eventually(every: .milliseconds(50)) {
            try await server.post(Fixtures.sample, key: issued).status == 200
        }
        #expect(isKnown)

        try cluster.stop()
        let answer = try await server.post(Fixtures.sample)
        #expect(answer.status == 202)
        #expect(answer.headers["x-durability"] == "spooled")
        #expect(answer.body == #"{"status":"spooled","records":3}"#)
        // Spooled batches are safe, so the server is healthy.
        #expect(try await server.get("/health").status == 200)
        let later = Fixtures.sample.replacing("2026-02-10", with: "2026-02-11")
        #expect(try await server.post(later).status == 202)
        #expect(try await server.post(Fixtures.sample, key: "wrong").status == 401)
        let page = MetricsPage(try await server.get("/metrics").body)
        #expect(page.outcome("spooled") == 6)

        // After a restart while the database is unreachable, batches are accepted as before.
        #expect(try await server.end() == 0)
        server = try await serve(cluster, directory)
        #expect(try await server.post(later).status == 202)
        // Its operator can watch it, and keys that it knew before work.
        #expect(try await server.get("/status").status == 200)
        let top = try await Subprocess.sluice(
            "top", "--once", "--url", server.url, environment: server.environment)
        #expect(top.status == 0, "\(top.err)")
        #expect(try await server.post(later, key: issued).status == 202)
        #expect(try await server.post(later, key: issued + "x").status == 503)

        let again = try TestCluster.startServer(dataDirectory: directory)
        let hasReplayed = try await eventually(every: .milliseconds(50)) {
            try await server.hasReplayed()
        }
        #expect(hasReplayed)
        let served = try await server.post(later)
        #expect(served.body.contains(#""duplicates":3"#), "\(served)")
        #expect(try await server.end() == 0)
        try again.stop()
    }

    @Test func `a metric that nobody has named yet is spooled, and stored once after a kill`()
        async throws
    {
        let directory = TestCluster.freshDirectory(isServers: true)
        let cluster = try TestCluster.startServer(dataDirectory: directory)
        defer { try? PrivateCluster.discard(dataDirectory: directory) }
        var server = try await serve(cluster, directory)
        #expect(try await server.post(Fixtures.sample).status == 200)
        try cluster.stop()
        let body = """
            {"metadata":{"device_id":"d"},"data":[
            {"t":"2026-02-10T10:00:00Z","type":"vital","metric":"lung_capacity","val":4.5}]}
            """
        #expect(try await server.post(body).status == 202)
        #expect(try await server.end(SIGKILL) == 128 + SIGKILL)
        server = try await serve(cluster, directory)
        #expect(try await server.post(body).status == 202)
        let export = try await Subprocess.sluice(
            "spool", "export", environment: server.environment)
        let lines = export.out.split(separator: "\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains(#""metric":"lung_capacity""#) })
        let again = try TestCluster.startServer(dataDirectory: directory)
        let hasReplayed = try await eventually(every: .milliseconds(50)) {
            try await server.hasReplayed()
        }
        #expect(hasReplayed)
        let stored =
            "analytics.vital WHERE metric = 'lung_capacity' AND code = 1000 AND value = 4.5"
        #expect(try Fixtures.count(stored, again.settings) == 1)
        #expect(try await server.post(body).body.contains(#""duplicates":1"#))
        #expect(try await server.end() == 0)
        try again.stop()
    }

    @Test func `a second server on a spool in use reports that`() async throws {
        let environment = [
            "DATABASE_URL": try TestCluster.shared.freshDatabase(named: "spool_in_use")
                .connectionStringWithoutPassword,
            "INGEST_API_KEY": "test-key", "SLUICE_PORT": "0",
            "SLUICE_DATA_DIR": TestCluster.freshDirectory(),
        ]
        let server = try await RunningServer.start(environment: environment)
        let second = try await Subprocess.sluice("serve", environment: environment)
        #expect((1..<128).contains(second.status), "\(second.status)")
        #expect(second.err.contains("the spool"), "\(second.err.suffix(500))")
        #expect(try await server.post(Fixtures.sample).status == 200)
        #expect(try await server.end() == 0)
    }

    @Test func `without a spool clients are told to retry`() async throws {
        let directory = TestCluster.freshDirectory(isServers: true)
        let cluster = try TestCluster.startServer(dataDirectory: directory)
        defer { try? PrivateCluster.discard(dataDirectory: directory) }
        let server = try await serve(cluster, directory, ["SLUICE_SPOOL_BYTES_MAX": "0"])
        #expect(try await server.post(Fixtures.sample).status == 200)

        try cluster.stop()
        let answer = try await server.post(Fixtures.sample)
        #expect(answer.status == 503)
        let seconds = try #require(answer.headers["retry-after"].flatMap { Int($0) })
        #expect((1...60).contains(seconds))
        #expect(try answer.json["detail"] is String)
        let isTold = try await eventually(every: .milliseconds(50)) {
            let health = try await server.get("/health")
            return health.status == 503
                && health.body == #"{"detail":"Database unavailable"}"#
        }
        #expect(isTold)
        #expect(try await server.get("/readyz").status == 503)
        #expect(try await server.get("/livez").status == 200)
        #expect(try await server.get("/").status == 200)

        let again = try TestCluster.startServer(dataDirectory: directory)
        let served = try await eventually(every: .milliseconds(50)) {
            try await server.post(Fixtures.sample).body.contains(#""duplicates":3"#)
        }
        #expect(served)
        #expect(try await server.get("/health").status == 200)
        #expect(try await server.end() == 0)
        try again.stop()
    }

    @Test func `a first start without its database reports that and ends`() async throws {
        let environment = [
            "DATABASE_URL": "postgresql://u:p4ssw0rd@127.0.0.1:1/x",
            "SLUICE_DATA_DIR": TestCluster.freshDirectory(),
        ]
        // Twice: a directory that has never been served from counts as new on the second start
        // too.
        for _ in 0..<2 {
            let outcome = try await Subprocess.sluice(
                "serve", "--port", "0", environment: environment)
            #expect(outcome.status == 69)
            #expect(outcome.err.contains("database") && !outcome.err.contains("p4ssw0rd"))
            #expect(!outcome.out.contains("is serving"))
        }
    }
}
