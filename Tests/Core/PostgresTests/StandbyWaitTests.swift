import Foundation
import Postgres
import TestSupport
import Testing

/// Commits that wait for a standby. Cancelling the wait must not count as an answer.
@Suite(.timeLimit(.minutes(10)))
struct StandbyWaitTests {
    /// A server whose standby never connects.
    private static func makeServer() throws -> TestServer {
        let server = try TestServer()
        try server.execute("CREATE TABLE noted (n int PRIMARY KEY)")
        try server.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        try server.execute("SELECT pg_reload_conf()")
        // New sessions have the setting once the server has told its processes. Commits wait once
        // the checkpointer has read it, which it does before it answers.
        let isRead = try eventuallyBlocking {
            try server.ask("SELECT current_setting('synchronous_standby_names')") == "*"
        }
        #expect(isRead)
        try server.execute("CHECKPOINT")
        return server
    }

    private static let waiting = """
        SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'
        """

    /// The kinds of commits.
    enum Way: CaseIterable {
        case transaction, statement, copy
    }

    /// A tuple with one integer, in COPY's binary form.
    private static let row: StaticString = "\0\u{1}\0\0\0\u{4}\0\0\0\u{1}"

    private static func write(_ way: Way, _ connection: Connection) throws {
        switch way {
        case .transaction:
            _ = try connection.transaction {
                try connection.execute("INSERT INTO noted VALUES (1)")
            }
        case .statement:
            try connection.execute("INSERT INTO noted VALUES (1)")
        case .copy:
            try connection.execute("BEGIN")
            try connection.copy("COPY noted FROM STDIN (FORMAT binary); COMMIT") {
                _, writer throws(PostgresError) in
                try writer.write(UnsafeRawBufferPointer(start: Self.row.utf8Start, count: 10))
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `a cancelled wait is repeated`(way: Way) async throws {
        let server = try Self.makeServer()
        let connection = try Connection.open(server.settings, deadline: .now + .seconds(100))
        let backend = connection.backendID
        nonisolated(unsafe) let shared = connection
        let work = Task.detached { try Self.write(way, shared) }
        for _ in 1...3 {
            #expect(try await eventually { try server.ask(Self.waiting) == "1" })
            // Each wait starts again, with a commit of its own.
            let before = try server.ask("SELECT pg_current_wal_insert_lsn()")
            try server.execute("SELECT pg_cancel_backend(\(backend))")
            #expect(
                try await eventually {
                    try server.ask("SELECT pg_current_wal_insert_lsn()") != before
                })
        }
        #expect(try await eventually { try server.ask(Self.waiting) == "1" })
        try server.execute("ALTER SYSTEM RESET synchronous_standby_names")
        try server.execute("SELECT pg_reload_conf()")
        _ = try await work.value
        #expect(try server.ask("SELECT count(*) FROM noted") == "1")
    }

    /// A retry of stored rows has nothing to write, and waits all the same.
    @Test func `a commit without a change waits for earlier commits`() async throws {
        let server = try Self.makeServer()
        let connection = try Connection.open(server.settings, deadline: .now + .seconds(100))
        nonisolated(unsafe) let shared = connection
        let work = Task.detached {
            try shared.transaction {
                try shared.execute(
                    "INSERT INTO noted SELECT 1 WHERE false ON CONFLICT DO NOTHING")
            }
        }
        #expect(try await eventually { try server.ask(Self.waiting) == "1" })
        try server.execute("ALTER SYSTEM RESET synchronous_standby_names")
        try server.execute("SELECT pg_reload_conf()")
        _ = try await work.value
    }
}
