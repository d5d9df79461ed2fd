public import Postgres

/// A connection on which one process at a time works on the archive: the lock is the session's, so
/// it goes with the process.
public struct ArchiveSession {
    /// With settings under which what is written as text reads back bit by bit.
    public let connection: Connection

    /// How long a statement may take that is quick.
    static let quick: Duration = .seconds(30)
    /// How long one that goes through a day's rows may be without a sign of life.
    static let long: Duration = .seconds(600)

    /// The key of the advisory lock: shared by those who need days to stay where they are.
    public static let lock = "1936487779, 14"

    /// Takes the lock.
    ///
    /// - Parameter patience: how long to wait for another process.
    /// - Returns: nil when another process has it.
    public init?(_ connection: Connection, patience: Duration = .zero) throws {
        self.connection = connection
        connection.deadline = .now + Self.quick
        try connection.execute(
            """
            SET extra_float_digits = 3; SET DateStyle = 'ISO, YMD'; SET TimeZone = 'UTC';
            SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0
            """)
        let end = ContinuousClock.now + patience
        while true {
            connection.deadline = .now + Self.quick
            if try connection.query("SELECT pg_try_advisory_lock(\(Self.lock))").bool(0, 0) {
                return
            }
            if ContinuousClock.now >= end { return nil }
            try connection.query("SELECT pg_sleep(0.5)")
        }
    }

    /// Gives the lock back.
    public func end() {
        guard connection.isOpen else { return }
        connection.deadline = .now + Self.quick
        try? connection.rollback()
        _ = try? connection.query("SELECT pg_advisory_unlock(\(Self.lock))")
    }

    /// - Parameter lockWait: for one lock.
    func expect(_ limit: Duration, lockWait: Duration = .seconds(10)) throws(PostgresError) {
        connection.deadline = .now + Self.quick
        try connection.execute("SET lock_timeout = '\(Int(lockWait / .milliseconds(1)))ms'")
        connection.deadline = .now + limit + lockWait
    }
}
