import Glibc
public import Postgres
import Readings

/// A connection for the archive's work, and a second one that holds the archive's lock, which one
/// process at a time can have. The lock belongs to an open transaction, so it ends with the
/// process; the work has many transactions, and steps that can't run in one. The open transaction
/// has no snapshot, so it does not hold back vacuum.
public struct ArchiveSession {
    /// With its settings, rows that are written as text are read back exactly.
    public let connection: Connection
    private let turn: Connection

    /// The time limit of quick statements.
    static let quick: Duration = .seconds(30)
    /// The time limit of statements over a day's rows, between two signs of progress.
    static let long: Duration = .seconds(600)

    /// The statement by which a transaction demands that days stay until its end.
    public static let keepsDays = "LOCK TABLE sluice.archive_turn IN ROW SHARE MODE"

    /// Takes the lock.
    ///
    /// - Parameter patience: how long to wait for another process's lock.
    /// - Returns: nil if another process holds the lock.
    public init?(_ connection: Connection, patience: Duration = .zero) throws {
        self.connection = connection
        connection.deadline = .now + Self.quick
        try connection.execute(
            """
            SET extra_float_digits = 3; SET DateStyle = 'ISO, YMD'; SET TimeZone = 'UTC';
            SET standard_conforming_strings = on; SET statement_timeout = 0;
            SET idle_in_transaction_session_timeout = 0
            """)
        turn = try connection.openAnother(deadline: .now + Self.quick)
        try turn.query(
            """
            SELECT count(set_config(name, '0', false)) FROM pg_settings WHERE name IN (
                'idle_in_transaction_session_timeout', 'idle_session_timeout', 'statement_timeout',
                'transaction_timeout')
            """)
        let end = ContinuousClock.now + patience
        while try !takeTurn() {
            if ContinuousClock.now >= end { return nil }
            usleep(500_000)
        }
    }

    private func takeTurn() throws(PostgresError) -> Bool {
        turn.deadline = .now + Self.quick
        do throws(PostgresError) {
            try turn.execute("BEGIN; LOCK TABLE sluice.archive_turn IN EXCLUSIVE MODE NOWAIT")
            return true
        } catch {
            guard error.sqlState == "55P03" else { throw error }
            try turn.rollback()
            return false
        }
    }

    /// Releases the lock.
    public func end() {
        defer { turn.close() }
        guard connection.isOpen else { return }
        connection.deadline = .now + Self.quick
        try? connection.rollback()
    }

    /// Makes statistics of a partition that this session has filled.
    ///
    /// The server counts a session's rows up to a second later; after ANALYZE they would count twice.
    func analyze(_ partition: DayPartition) throws(PostgresError) {
        do throws(PostgresError) {
            try connection.execute("SELECT pg_stat_force_next_flush()")
        } catch {
            // PostgreSQL 14 has no such function.
            guard error.sqlState == "42883" else { throw error }
        }
        try connection.execute(
            "ANALYZE sluice_partitions.\(ArchiveCatalog.quoted(partition.name))")
    }

    /// - Parameter lockWait: the timeout of each lock.
    /// - Throws: `.connectionLost` also when the lock is lost.
    func expect(_ limit: Duration, lockWait: Duration = .seconds(10)) throws(PostgresError) {
        guard turn.probe() else {
            throw PostgresError(.connectionLost, message: "the archive's lock is lost")
        }
        connection.deadline = .now + Self.quick
        try connection.execute("SET lock_timeout = '\(Int(lockWait / .milliseconds(1)))ms'")
        connection.deadline = .now + limit + lockWait
    }
}
