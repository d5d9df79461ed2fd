import Foundation
import Glibc
import Ingest
import Postgres
import TestSupport
import Testing

/// Kills PostgreSQL after an answer: acknowledged readings must be stored.
///
/// The WAL writer is stopped first, so that a commit that does not wait for its log is certainly
/// lost.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct DurabilityTests {
    /// Where `synchronous_commit` is turned off.
    enum Place: CaseIterable {
        case server, role, database
    }

    /// A private server for one test.
    private final class Rig {
        let directory = TestCluster.freshDirectory(isServers: true)
        let server: PrivateCluster
        let admin: Connection

        init() throws {
            server = try TestCluster.startServer(dataDirectory: directory)
            admin = try Connection.open(server.settings, deadline: .now + .seconds(60))
            _ = try Migrator().run(on: admin)
            try admin.execute("CREATE TABLE noted (n int)")
            try admin.execute("ALTER SYSTEM SET wal_writer_delay = '10s'")
            try admin.execute("SELECT pg_reload_conf()")
        }

        deinit { TestCluster.discard(directory) }

        /// Returns once existing sessions have the new setting.
        func loosen(_ place: Place) throws {
            let subject =
                switch place {
                case .server: "SYSTEM"
                case .role: "ROLE CURRENT_USER"
                case .database: "DATABASE \(server.settings.database ?? "")"
                }
            try admin.execute("ALTER \(subject) SET synchronous_commit = off")
            guard place == .server else { return }
            try admin.execute("SELECT pg_reload_conf()")
            let heard = """
                SELECT reset_val = 'off' FROM pg_settings WHERE name = 'synchronous_commit'
                """
            while try !admin.query(heard).bool(0, 0) { usleep(10_000) }
        }

        func stopLogWriter() throws -> Int32 {
            let writer = try admin.query(
                "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'"
            ).int32(0, 0)
            kill(writer, SIGSTOP)
            return writer
        }

        /// Kills all processes at once, as in a power failure, and restarts the server.
        func crash(_ logWriter: Int32) async throws {
            kill(try #require(server.processID), SIGKILL)
            kill(logWriter, SIGKILL)
            try await SpoolTests.eventually { (try? server.revive()) == true }
        }

        func count(_ table: String) throws -> Int64 {
            let connection = try Connection.open(server.settings, deadline: .now + .seconds(60))
            defer { connection.close() }
            return try connection.query("SELECT count(*) FROM \(table)").int64(0, 0)
        }
    }

    @Test(arguments: Place.allCases)
    func `a batch that was answered is stored after a crash`(place: Place) async throws {
        let rig = try Rig()
        // The settings of role and database apply to new sessions; the server's setting also
        // applies to existing ones.
        if place != .server { try rig.loosen(place) }
        let bench = await Bench(rig.server.settings)
        #expect(try await bench.post(Bodies.batch("d", [Bodies.vital(0)])) == .stored(1))
        if place == .server { try rig.loosen(place) }
        let logWriter = try rig.stopLogWriter()
        for number in 1...5 {
            let body = Bodies.batch("d\(number)", [Bodies.vital(number)])
            #expect(try await bench.post(body) == .stored(1))
        }
        try await rig.crash(logWriter)
        #expect(try rig.count("sluice.vital") == 6)
        await bench.finish()
    }

    /// Journal records, meal corrections and new users are written through a pool.
    @Test(arguments: Place.allCases)
    func `what a pool has committed is stored after a crash`(place: Place) async throws {
        let rig = try Rig()
        if place != .server { try rig.loosen(place) }
        let pool = Database(rig.server.settings)
        defer { pool.close() }
        @Sendable func note(_ connection: Connection) throws {
            try connection.execute("INSERT INTO noted VALUES (1)")
        }
        try await pool.withConnection { try note($0) }
        if place == .server { try rig.loosen(place) }
        let logWriter = try rig.stopLogWriter()
        for _ in 1...5 { try await pool.withConnection { try note($0) } }
        try await rig.crash(logWriter)
        #expect(try rig.count("noted") == 6)
    }
}
