import Postgres
import TestSupport
import Testing

/// Citus at the command line, without Citus.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct CitusCommandTests {
    @Test func `migrate --citus migrates plain PostgreSQL and reports that it is not Citus`()
        async throws
    {
        let settings = try TestCluster.shared.freshDatabase(named: "citus", migrated: false)
        let environment = ["DATABASE_URL": settings.connectionStringWithoutPassword]
        let first = try await Subprocess.sluice("migrate", "--citus", environment: environment)
        #expect(first.status == 69)
        #expect(first.out.contains("ran readings"), "\(first.out)")
        #expect(first.err.contains("no extension citus"), "\(first.err)")
        #expect(first.err.contains("create extension citus"), "\(first.err)")
        let second = try await Subprocess.sluice("migrate", environment: environment)
        #expect(second.status == 0 && !second.out.contains("ran "), "\(second.err)")
    }

    @Test func `a coordinator requires a database for the rows`() async throws {
        let outcome = try await Subprocess.sluice(
            "migrate", environment: ["SLUICE_COORDINATOR_URL": "postgresql://s3cret@h/d"])
        #expect(outcome.status == 64)
        #expect(outcome.err.contains("SLUICE_DATABASE_URL: is needed with SLUICE_COORDINATOR_URL"))
        #expect(!outcome.err.contains("s3cret"))
    }

    /// Two databases of one plain server without Citus: one has the rows, the other one
    /// everything that belongs to no device.
    @Test func `rows go to the database, the rest to the coordinator`() async throws {
        var (environment, rows) = try Fixtures.environment("rows")
        let rest = try TestCluster.shared.freshDatabase(named: "rest")
        environment["SLUICE_COORDINATOR_URL"] = rest.connectionStringWithoutPassword
        let made = try await Subprocess.sluice("keys", "create", "field", environment: environment)
        #expect(made.status == 0, "\(made.err)")
        let server = try await RunningServer.start(environment: environment)
        #expect(try await server.post(Fixtures.sample).body.contains(#""stored":3"#))
        #expect(try await server.end() == 0)
        let stored = """
            SELECT (SELECT count(*) FROM sluice.gps), (SELECT count(*) FROM sluice.api_key),
                (SELECT count(*) FROM sluice.node_heartbeat)
            """
        for (settings, gps, keys) in [(rows, 1 as Int64, 0 as Int64), (rest, 0, 1)] {
            let connection = try Connection.open(settings, deadline: .now + .seconds(30))
            defer { connection.close() }
            let row = try connection.query(stored)
            #expect(row.int64(0, 0) == gps)
            #expect(row.int64(0, 1) == keys)
            #expect((row.int64(0, 2) > 0) == (gps == 1))
        }
    }
}
