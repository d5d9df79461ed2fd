import Foundation
import Glibc
import Ingestion
import Postgres
import TestSupport
import Testing

/// PostgreSQL is killed behind an answer: what was acknowledged is there.
///
/// The process that would write the log behind a commit that does not wait for it is stopped first,
/// so that such a commit is lost for certain.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct DurabilityTests {
    /// Where commits are told not to wait.
    enum Place: CaseIterable {
        case server, role, database
    }

    /// A server of its own.
    private final class Rig {
        let directory = TestCluster.freshDirectory()
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

        /// Returns when a session that is there has heard of it.
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

        /// All at once, as when the power goes; and up again.
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
    func `a batch that was answered for is there after a crash`(place: Place) async throws {
        let rig = try Rig()
        // Role and database say so to sessions that begin, the server to those that are there.
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

    /// Journal records, corrections of meals and new users are written by way of a pool.
    @Test(arguments: Place.allCases)
    func `what a pool has committed is there after a crash`(place: Place) async throws {
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
