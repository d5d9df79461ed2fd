import Crypto
import Encodings
import Glibc
public import Schema

/// Migrates a database to the schema of this binary.
///
/// Each step is one transaction: it locks the notes, reads which steps have run, runs the
/// next one and notes it in `sluice.migration`. So several nodes may start at once, and a crash
/// leaves only whole steps, or the schema without tables before the first. Any role that may create
/// schemas in the database can run it; if no step is missing, any role that may read the notes.
///
/// **Beside live traffic.** A session that waits for a strong lock blocks all later sessions. So a
/// step waits for half a second, then for one, then for two at a time. In between it rolls back
/// completely and pauses for one and a half to two times as long. Two seconds are also the longest
/// that a writer is blocked at one lock. They are more than `deadlock_timeout`, after which
/// autovacuum gives way. A step that works while it holds a lock takes all of its locks first
/// (``Schema/Migration/locks``), so that the work is done once; writers spool in the meantime.
///
/// **Older binaries.** A step says which older binaries may continue beside it
/// (``Schema/Migration/oldestBinary``), and the notes store that, so that a binary can read whether
/// later steps allow it. A binary that may not continue is refused at its start and for each new
/// lane, and its existing lanes lose their connections after the steps.
///
/// **Former steps.** A database of a development version has the numbered steps that the baseline
/// replaced (``Schema/Former``). If it has them all, the baseline's steps are noted in their place.
public struct Migrator: Sendable {
    /// What a run did.
    public struct Report: Sendable, Equatable {
        /// Names of the steps that ran now, in order.
        public var applied: [String] = []
        /// The version of the database's schema after the run.
        public var version = 0
        /// Messages for the operator, such as a role that could not be made or a newer schema.
        public var notices: [String] = []
    }

    private let migrations: [Schema.Migration]
    private let stepLimit: Duration

    /// How long the attempts of a step wait for a lock; further attempts wait as long as the last.
    private static let lockWaits: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2)]
    /// The limit for the work of one attempt.
    private static let workMax: Duration = .seconds(1800)
    /// Errors that are retried: lock timeout, deadlock, serialization failure.
    private static let passing: Set<SQLState> = ["55P03", "40P01", "40001"]
    /// Errors of a node that makes the schema or its notes while another one commits them.
    private static let overtaken: Set<SQLState> = ["23505", "42P06", "42P07"]

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

    /// Runs the missing steps.
    ///
    /// - Parameter progress: called for each step that begins, and for each wait.
    public func run(
        on connection: Connection, progress: (MigrationProgress) -> Void = { _ in }
    ) throws(MigrationError) -> Report {
        var report = Report()
        var applied: [Schema.Migration] = []
        _ = connection.takeNotices()
        // One more round than there are steps: the last one finds nothing to do.
        for _ in 0...migrations.count {
            guard let step = try runStep(on: connection, progress) else { break }
            applied.append(step)
        }
        report.applied = applied.map(\.name)
        report.notices = connection.takeNotices()
        do throws(PostgresError) {
            report.version = try Self.version(of: connection)
            if let first = applied.first, first.number != 1,
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

    /// Chooses how many UTC days a partition holds; older binaries are excluded from then on.
    ///
    /// - Throws: ``MigrationError/partitionsExist(days:)`` if partitions of another length exist,
    ///   or did before they were archived.
    public static func choosePartitionDays(
        _ days: Int, on connection: Connection
    ) throws(MigrationError) {
        var parameters = Parameters()
        parameters.append(int4: Int32(days))
        let found: Int
        do throws(PostgresError) {
            found = Int(
                try connection.query("SELECT sluice.choose_partition_days($1)", parameters)
                    .int32(0, 0))
        } catch {
            throw .database(error)
        }
        guard found == days else { throw .partitionsExist(days: found) }
    }

    /// Refuses a database whose schema this binary can't work with: one that was not migrated yet,
    /// or that a newer binary has migrated to a schema that excludes this one.
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

    /// Returns the version of the schema, an int: how many steps have run. A database with the former
    /// numbered steps is at version 0.
    public static let versionQuery = """
        SELECT CASE WHEN bool_or(number = 1 AND checksum = '\(Schema.Former.firstChecksum)') THEN 0
            ELSE count(*)::int END
        FROM sluice.migration
        """

    private static func version(of connection: Connection) throws(PostgresError) -> Int {
        Int(try connection.query(versionQuery).int32(0, 0))
    }

    /// The oldest binary that may work beside all steps after `version`.
    private static func oldestBinary(
        above version: Int, on connection: Connection
    ) throws(PostgresError) -> Int {
        var parameters = Parameters()
        parameters.append(int4: Int32(version))
        let rows = try connection.query(
            """
            SELECT coalesce(max(coalesce(oldest_binary, number)), 0) FROM sluice.migration
            WHERE number > $1
            """, parameters)
        return Int(rows.int32(0, 0))
    }

    /// Ends the connections of lanes that were opened before the steps and must not write any more:
    /// when they reconnect, they are refused. Lanes of other roles keep their connections.
    private static func endOlderLanes(on connection: Connection) throws(PostgresError) {
        try connection.query(
            """
            SELECT count(pg_terminate_backend(pid)) FROM pg_catalog.pg_stat_activity
            WHERE datname = current_database() AND usename = current_user
                AND application_name LIKE 'sluice lane%' AND pid <> pg_backend_pid()
            """)
    }

    /// Stores which steps have run.
    private static let notesTable = """
        CREATE TABLE sluice.migration (
            number integer NOT NULL PRIMARY KEY,
            name text NOT NULL,
            checksum text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now(),
            oldest_binary integer
        )
        """

    /// Runs the next step; retries it after lock timeouts and rollbacks while there is time.
    ///
    /// - Returns: the step that ran; nil when none was left.
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
                guard connection.isOpen, let state = error.sqlState,
                    Self.passing.contains(state)
                        || error.stepName == nil && Self.overtaken.contains(state),
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

    /// The transaction that may block the step: the longest open one that the role may see.
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
            if !Self.areFormer(checksums), checksums.count > migrations.count,
                try Self.oldestBinary(above: migrations.count, on: connection) <= migrations.count
            {
                try? connection.rollback()
                return nil
            }
        } catch {
            throw .database(error)
        }
        if Self.areFormer(checksums) {
            return try replaceFormer(checksums, on: connection, progress)
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

    private static func areFormer(_ checksums: [String]) -> Bool {
        checksums.first == Schema.Former.firstChecksum
    }

    /// Notes the steps of the baseline in the place of the former numbered ones. One transaction.
    private func replaceFormer(
        _ checksums: [String], on connection: Connection, _ progress: (MigrationProgress) -> Void
    ) throws(MigrationError) -> Schema.Migration {
        guard checksums.count == Schema.Former.count, checksums.last == Schema.Former.lastChecksum
        else {
            throw .formerSteps(database: checksums.count, needed: Schema.Former.count)
        }
        let step = Schema.Former.step
        progress(.runs(step: step.name))
        do throws(PostgresError) {
            try connection.execute(String(decoding: step.sql, as: UTF8.self))
            try connection.execute("DELETE FROM sluice.migration")
            for migration in migrations.prefix(Schema.Former.baselineCount) {
                try note(migration, on: connection)
            }
            try connection.commit()
        } catch {
            throw .failed(number: step.number, name: step.name, error)
        }
        return step
    }

    /// Opens the transaction of one step. If steps are missing, locks the notes, which strangers
    /// can't; the first of several nodes makes them, and the others wait for its commit at the
    /// table's name.
    ///
    /// The schema is committed before. Otherwise Citus would bring its owner to the workers as the
    /// role that migrates, with the first function, and only a superuser may do that.
    ///
    /// - Returns: the checksums of the steps that have run, in order.
    private func begin(
        on connection: Connection, lockWait: Duration
    ) throws(PostgresError) -> [String] {
        // All names in our files are qualified.
        let start = """
            BEGIN ISOLATION LEVEL READ COMMITTED;
            SET LOCAL lock_timeout = '\(Int(lockWait / .milliseconds(1)))ms';
            SET LOCAL search_path = pg_catalog
            """
        try connection.execute(start)
        let notes = try connection.query("SELECT to_regclass('sluice.migration') IS NOT NULL")
        guard notes.bool(0, 0) else {
            try connection.execute("CREATE SCHEMA IF NOT EXISTS sluice; COMMIT")
            try connection.execute("\(start); \(Self.notesTable)")
            return []
        }
        let checksums = try Self.checksums(on: connection)
        if checksums.count >= migrations.count, !Self.areFormer(checksums) { return checksums }
        // Lanes read it meanwhile.
        try connection.execute("LOCK TABLE sluice.migration IN SHARE ROW EXCLUSIVE MODE")
        return try Self.checksums(on: connection)
    }

    private static func checksums(on connection: Connection) throws(PostgresError) -> [String] {
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
        try note(migration, on: connection)
        try connection.commit()
    }

    /// Notes a step as run.
    private func note(
        _ migration: Schema.Migration, on connection: Connection
    ) throws(PostgresError) {
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
    }

    /// SHA-256 in hexadecimal.
    static func checksum(_ sql: [UInt8]) -> String {
        Hexadecimal.text(SHA256.hash(data: sql))
    }
}
