import COpenSSL
public import Schema

/// Brings a database to the schema of this binary.
///
/// Each step is one transaction that takes an advisory lock, reads which steps have run, runs the
/// next one and notes it in `sluice.migration`. So several nodes may start at once, and a crash
/// leaves whole steps only. Works for any role that may create schemas in the database; where
/// nothing is missing, for any role that may read the notes.
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

    /// - Parameters:
    ///   - migrations: numbered from 1 without gaps.
    ///   - stepLimit: how long one step may take, waiting for other nodes included.
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
    public func run(on connection: Connection) throws(MigrationError) -> Report {
        var report = Report()
        _ = connection.takeNotices()
        // One more round than steps: the last one finds nothing to do.
        for _ in 0...migrations.count {
            connection.deadline = .now + stepLimit
            do throws(MigrationError) {
                guard let step = try runStep(on: connection) else { break }
                report.applied.append(step.name)
            } catch {
                try? connection.rollback()
                throw error
            }
        }
        report.version = migrations.count
        report.notices = connection.takeNotices()
        return report
    }

    /// Refuses a database whose schema is not this binary's: one that was not migrated yet, or that
    /// a newer binary has migrated.
    ///
    /// - Throws: `.refused`, class `stop`.
    public static func demandCurrent(on connection: Connection) throws(PostgresError) {
        let rows = try connection.query("SELECT count(*)::int FROM sluice.migration")
        let version = Int(rows.int32(0, 0))
        guard version == Schema.migrations.count else {
            let message =
                "the schema is at version \(version), this binary needs \(Schema.migrations.count)"
            throw PostgresError(.refused, message: message)
        }
    }

    /// Which steps have run.
    private static let notesTable = """
        CREATE SCHEMA IF NOT EXISTS sluice;
        CREATE TABLE sluice.migration (
            number integer NOT NULL PRIMARY KEY,
            name text NOT NULL,
            checksum text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        )
        """

    /// - Returns: the step that ran; nil when there was none left.
    private func runStep(on connection: Connection) throws(MigrationError) -> Schema.Migration? {
        let checksums: [String]
        do throws(PostgresError) {
            checksums = try begin(on: connection)
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
    private func begin(on connection: Connection) throws(PostgresError) -> [String] {
        // Everything in our files is qualified. What waits for a lock makes others wait behind it,
        // so it gives up first.
        try connection.execute(
            """
            BEGIN;
            SELECT pg_advisory_xact_lock(1936487779, 1);
            SET LOCAL search_path = pg_catalog;
            SET LOCAL lock_timeout = '10s'
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
        try connection.execute(String(decoding: migration.sql, as: UTF8.self))
        var parameters = Parameters()
        parameters.append(int4: Int32(migration.number))
        parameters.append(text: migration.name)
        parameters.append(text: Self.checksum(migration.sql))
        try connection.query(
            "INSERT INTO sluice.migration (number, name, checksum) VALUES ($1, $2, $3)", parameters)
        try connection.commit()
    }

    /// SHA-256 in hexadecimal.
    static func checksum(_ sql: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        SHA256(sql, sql.count, &digest)
        let digits = Array("0123456789abcdef")
        return String(digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
