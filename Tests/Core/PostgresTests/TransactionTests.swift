import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TransactionTests {
    let settings: ConnectionSettings
    let connection: Connection

    init() throws {
        settings = try TestCluster.shared.freshDatabase(named: "transaction", migrated: false)
        connection = try Connection.open(settings, deadline: .now + .seconds(30))
    }

    /// The other transaction waits first and checks for a deadlock much later, so PostgreSQL
    /// rolls back this one.
    @Test(arguments: [1, 3])
    func `a transaction that loses a deadlock is run again where that is allowed`(
        attempts: Int
    ) async throws {
        try connection.execute(
            """
            CREATE TABLE t (i int, n int);
            INSERT INTO t VALUES (1, 0), (2, 0);
            SET deadlock_timeout = '10ms';
            SELECT pg_advisory_lock(1)
            """)
        let database = Database(settings)
        defer { database.close() }
        async let other = database.withConnection { other in
            try other.execute(
                """
                SET deadlock_timeout = '10min';
                BEGIN;
                UPDATE t SET n = n + 1 WHERE i = 2;
                SELECT pg_advisory_lock(1);
                UPDATE t SET n = n + 1 WHERE i = 1;
                COMMIT
                """)
        }
        try #require(try await eventually { try isWaitedFor() })
        var runs = 0
        var error: PostgresError?
        do {
            try connection.transaction(attempts: attempts) {
                runs += 1
                // This session holds no locks then, so the other one can continue.
                while try runs > 1 && !isOtherDone() { try pause() }
                try connection.execute("UPDATE t SET n = n + 1 WHERE i = 1")
                if runs == 1 {
                    try connection.execute("SELECT pg_advisory_unlock(1)")
                    while try !isWaitedFor() { try pause() }
                }
                try connection.execute("UPDATE t SET n = n + 1 WHERE i = 2")
            }
        } catch let caught as PostgresError {
            error = caught
        }
        _ = try await other
        #expect(connection.isIdle)
        #expect(error?.sqlState == (attempts == 1 ? "40P01" : nil))
        #expect(runs == (attempts == 1 ? 1 : 2))
        let counts = try connection.query("SELECT n FROM t")
        #expect((0..<2).map { counts.int32($0, 0) } == (attempts == 1 ? [1, 1] : [2, 2]))
    }

    private func pause() throws {
        try connection.execute("SELECT pg_sleep(0.005)")
    }

    private func isOtherDone() throws -> Bool {
        try connection.query("SELECT FROM t WHERE n > 0").count == 2
    }

    /// Whether another session waits for a lock of this session.
    private func isWaitedFor() throws -> Bool {
        let rows = try connection.query(
            """
            SELECT FROM pg_locks
            WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))
            """)
        return rows.count > 0
    }
}
