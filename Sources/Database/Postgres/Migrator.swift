import Digests
import Encodings
import Glibc
public import Schema

/// Brings a database to the schema of this binary.
///
/// Each step is one transaction that takes an advisory lock, reads which steps have run, runs the
/// next one and notes it in `sluice.migration`. So several nodes may start at once, and a crash
/// leaves whole steps only. Works for any role that may create schemas in the database; where
/// nothing is missing, for any role that may read the notes.
///
/// **Beside live traffic.** Whoever waits for a strong lock makes everybody else wait behind him, so
/// a step waits for half a second, then for one, then for two at a time, rolls back all of itself in
/// between and pauses for twice as long: two seconds are also the longest that a writer is held up
/// at any one lock. They are more than `deadlock_timeout`, after which autovacuum makes way. A step
/// that works on with a lock takes all of its locks first (``Schema/Migration/locks``), so that the
/// work is done once; whoever writes meanwhile spools.
///
/// **Older binaries.** A step says which ones may go on beside it
/// (``Schema/Migration/oldestBinary``), and the notes keep that: a binary reads there what became of
/// the schema after its time. One that may not go on is refused at its start and for each new lane,
/// and the lanes that it has lose their connections when the steps have run.
public struct Migrator: Sendable {
    /// What a run did.
    public struct Report: Sendable, Equatable {
        /// Names of the steps that ran now, in order.
        public var applied: [String] = []
        /// The number the database stands at.
        public var version = 0
        /// What the steps have to say to an operator: a role that could not be made.
        public var notices: [String] = []
    }

    private let migrations: [Schema.Migration]
    private let stepLimit: Duration

    /// How long the attempts of a step wait for a lock; all further ones as long as the last.
    private static let lockWaits: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2)]
    /// How long the work of one attempt may take.
    private static let workMax: Duration = .seconds(1800)
    /// Locked by another, a deadlock with another, rolled back for another's sake.
    private static let passing: Set<SQLState> = ["55P03", "40P01", "40001"]

    /// - Parameters:
    ///   - migrations: numbered from 1 without gaps.
    ///   - stepLimit: how long one step may wait for its locks, with all its attempts.
    public init(
        migrations: [Schema.Migration] = Schema.migrations, stepLimit: Duration = .seconds(120)
    ) {
        precondition(
            migrations.enumerated().allSatisfy { $0.offset + 1 == $0.element.number },
            "BUG: migrations have gaps")
        self.migrations = migrations
        self.stepLimit = stepLimit
    }

    /// Runs what is missing.
    ///
    /// - Parameter progress: hears of each step that begins, and of each wait.
    public func run(
        on connection: Connection, progress: (MigrationProgress) -> Void = { _ in }
    ) throws(MigrationError) -> Report {
        var report = Report()
        var applied: [Schema.Migration] = []
        _ = connection.takeNotices()
        // One more round than steps: the last one finds nothing to do.
        for _ in 0...migrations.count {
            guard let step = try runStep(on: connection, progress) else { break }
            applied.append(step)
        }
        report.applied = applied.map(\.name)
        report.notices = connection.takeNotices()
        do throws(PostgresError) {
            report.version = try Self.version(of: connection)
            if let first = applied.first, first.number > 1,
                applied.contains(where: { $0.oldestBinary >= first.number })
            {
                try Self.endOlderLanes(on: connection)
            }
        } catch {
            throw .database(error)
        }
        if report.version > migrations.count {
            report.notices.append(
                "a newer sluice has brought the schema to version \(report.version); this one, of "
                    + "version \(migrations.count), may go on beside it")
        }
        return report
    }

    /// Refuses a database whose schema this binary can't work with: one that was not migrated yet,
    /// or that a newer binary has migrated in a way that leaves the older ones behind.
    ///
    /// - Throws: `.refused`, class `stop`.
    public static func demandCurrent(
        on connection: Connection, version: Int = Schema.migrations.count
    ) throws(PostgresError) {
        let found = try Self.version(of: connection)
        if found == version { return }
        if found > version, try oldestBinary(above: version, on: connection) <= version { return }
        throw PostgresError(
            .refused, message: "the schema is at version \(found), this binary needs \(version)")
    }

    private static func version(of connection: Connection) throws(PostgresError) -> Int {
        Int(try connection.query("SELECT count(*)::int FROM sluice.migration").int32(0, 0))
    }

    /// The oldest binary that may work beside all steps above that one.
    private static func oldestBinary(
        above version: Int, on connection: Connection
    ) throws(PostgresError) -> Int {
        guard try hasOldestBinary(connection) else { return Int.max }
        var parameters = Parameters()
        parameters.append(int4: Int32(version))
        let rows = try connection.query(
            """
            SELECT coalesce(max(coalesce(oldest_binary, number)), 0) FROM sluice.migration
            WHERE number > $1
            """, parameters)
        return Int(rows.int32(0, 0))
    }

    /// The notes of databases from before there was that column lack it until the next step.
    private static func hasOldestBinary(_ connection: Connection) throws(PostgresError) -> Bool {
        try connection.query(
            """
            SELECT EXISTS (SELECT FROM pg_catalog.pg_attribute
                WHERE attrelid = to_regclass('sluice.migration') AND attname = 'oldest_binary')
            """
        ).bool(0, 0)
    }

    /// Ends the connections of lanes that were opened before the steps and must not write any more:
    /// when they are opened again they are refused. Where the role may not do that, they go on for
    /// as long as they last.
    private static func endOlderLanes(on connection: Connection) throws(PostgresError) {
        try connection.query(
            """
            SELECT count(pg_terminate_backend(pid)) FROM pg_catalog.pg_stat_activity
            WHERE datname = current_database() AND usename = current_user
                AND application_name LIKE 'sluice lane%' AND pid <> pg_backend_pid()
            """)
    }

    /// Which steps have run.
    private static let notesTable = """
        CREATE SCHEMA IF NOT EXISTS sluice;
        CREATE TABLE sluice.migration (
            number integer NOT NULL PRIMARY KEY,
            name text NOT NULL,
            checksum text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now(),
            oldest_binary integer
        )
        """

    /// Runs the next step, again and again while it only meets locks and has time.
    ///
    /// - Returns: the step that ran; nil when there was none left.
    private func runStep(
        on connection: Connection, _ progress: (MigrationProgress) -> Void
    ) throws(MigrationError) -> Schema.Migration? {
        let end = ContinuousClock.now + stepLimit
        var attempts = 0
        while true {
            connection.deadline = .now + Self.workMax
            let wait = Self.lockWaits[min(attempts, Self.lockWaits.count - 1)]
            do throws(MigrationError) {
                return try attempt(on: connection, lockWait: wait, progress)
            } catch {
                try? connection.rollback()
                attempts += 1
                let pause = wait * Double.random(in: 1.5...2)
                guard connection.isOpen, let state = error.sqlState, Self.passing.contains(state),
                    ContinuousClock.now + pause < end
                else { throw error }
                progress(
                    .waits(
                        step: error.stepName, attempts: attempts,
                        oldest: Self.oldestTransaction(connection)))
                usleep(UInt32(clamping: Int64(pause / .microseconds(1))))
            }
        }
    }

    /// Who may be in the way: the transaction that has been open longest, as far as one may know.
    private static func oldestTransaction(
        _ connection: Connection
    ) -> MigrationProgress.Transaction? {
        let rows = try? connection.query(
            """
            SELECT pid, application_name, extract(epoch FROM now() - xact_start)::int
            FROM pg_catalog.pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
                AND now() - xact_start > interval '1 second'
            ORDER BY xact_start LIMIT 1
            """)
        guard let rows, rows.count == 1 else { return nil }
        return MigrationProgress.Transaction(
            processID: rows.int32(0, 0), application: rows.string(0, 1),
            seconds: Int(rows.int32(0, 2)))
    }

    private func attempt(
        on connection: Connection, lockWait: Duration, _ progress: (MigrationProgress) -> Void
    ) throws(MigrationError) -> Schema.Migration? {
        let checksums: [String]
        do throws(PostgresError) {
            checksums = try begin(on: connection, lockWait: lockWait)
            if checksums.count > migrations.count,
                try Self.oldestBinary(above: migrations.count, on: connection) <= migrations.count
            {
                try? connection.rollback()
                return nil
            }
        } catch {
            throw .database(error)
        }
        guard checksums.count <= migrations.count else {
            throw .databaseNewer(database: checksums.count, binary: migrations.count)
        }
        for (migration, checksum) in zip(migrations, checksums)
        where Self.checksum(migration.sql) != checksum {
            throw .checksumDiffers(number: migration.number)
        }
        guard checksums.count < migrations.count else {
            try? connection.rollback()
            return nil
        }
        let next = migrations[checksums.count]
        progress(.runs(step: next.name))
        do throws(PostgresError) {
            try apply(next, on: connection)
        } catch {
            throw .failed(number: next.number, name: next.name, error)
        }
        return next
    }

    /// Opens the transaction of one step.
    ///
    /// - Returns: the checksums of the steps that have run, in order.
    private func begin(
        on connection: Connection, lockWait: Duration
    ) throws(PostgresError) -> [String] {
        // Everything in our files is qualified.
        try connection.execute(
            """
            BEGIN;
            SET LOCAL lock_timeout = '\(Int(lockWait / .milliseconds(1)))ms';
            SELECT pg_advisory_xact_lock(1936487779, 1);
            SET LOCAL search_path = pg_catalog
            """)
        let notes = try connection.query("SELECT to_regclass('sluice.migration') IS NOT NULL")
        guard notes.bool(0, 0) else {
            try connection.execute(Self.notesTable)
            return []
        }
        let rows = try connection.query("SELECT checksum FROM sluice.migration ORDER BY number")
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    private func apply(
        _ migration: Schema.Migration, on connection: Connection
    ) throws(PostgresError) {
        if !migration.locks.isEmpty {
            try connection.execute(
                "LOCK TABLE \(migration.locks.joined(separator: ", ")) IN ACCESS EXCLUSIVE MODE")
        }
        try connection.execute(String(decoding: migration.sql, as: UTF8.self))
        if try !Self.hasOldestBinary(connection) {
            try connection.execute("ALTER TABLE sluice.migration ADD oldest_binary integer")
        }
        var parameters = Parameters()
        parameters.append(int4: Int32(migration.number))
        parameters.append(text: migration.name)
        parameters.append(text: Self.checksum(migration.sql))
        parameters.append(int4: Int32(migration.oldestBinary))
        try connection.query(
            """
            INSERT INTO sluice.migration (number, name, checksum, oldest_binary)
            VALUES ($1, $2, $3, $4)
            """, parameters)
        try connection.commit()
    }

    /// SHA-256 in hexadecimal.
    static func checksum(_ sql: [UInt8]) -> String {
        Hexadecimal.text(SHA256.digest(sql))
    }
}

/// Why the schema is not what this binary needs.
public enum MigrationError: Error, Equatable, Sendable {
    /// A newer binary has migrated this database; this one must not touch it.
    case databaseNewer(database: Int, binary: Int)
    /// The database ran another text under this number: one of the two is no release.
    case checksumDiffers(number: Int)
    /// The server refused a step; the steps before it stand, nothing of this one does.
    case failed(number: Int, name: String, PostgresError)
    /// The list of steps could not be read or made.
    case database(PostgresError)
}

extension MigrationError {
    /// The code of the server's refusal.
    var sqlState: SQLState? {
        switch self {
        case .failed(_, _, let error), .database(let error): error.sqlState
        case .databaseNewer, .checksumDiffers: nil
        }
    }

    /// The step that failed; nil when it was not a step's own statement.
    var stepName: String? {
        guard case .failed(_, let name, _) = self else { return nil }
        return name
    }
}

/// What a run of the ``Migrator`` is at.
public enum MigrationProgress: Sendable, Equatable {
    /// A transaction that may be what holds a step up.
    public struct Transaction: Sendable, Equatable {
        /// Of its backend, for `pg_terminate_backend`.
        public let processID: Int32
        /// As its client calls itself.
        public let application: String
        /// How long it has been open.
        public let seconds: Int
    }

    /// A step begins.
    case runs(step: String)
    /// A lock was not to be had, and everything of the step is rolled back until the next attempt.
    ///
    /// `step` is nil while another node migrates; `oldest` when no transaction is known that has
    /// been open for a second.
    case waits(step: String?, attempts: Int, oldest: Transaction?)
}

extension MigrationProgress: CustomStringConvertible {
    /// One line for an operator.
    public var description: String {
        switch self {
        case .runs(let step):
            return "migration \(step)"
        case .waits(let step, let attempts, let oldest):
            let reason = step.map { "migration \($0) waits for a lock" } ?? "another node migrates"
            let holder = oldest.map {
                let name = $0.application.isEmpty ? "" : " (\($0.application))"
                return "; backend \($0.processID)\(name) has a transaction open for \($0.seconds) s"
            }
            return "\(reason), attempt \(attempts)\(holder ?? "")"
        }
    }
}
