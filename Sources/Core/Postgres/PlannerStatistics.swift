/// The planner's statistics of tables that autovacuum never analyses: partitioned tables, and
/// tables that stay small, such as `sluice.metric`. Without them views by minute get plans that are
/// fifty times too slow.
///
/// **When.** A table is analysed once it has rows, whenever its rows have doubled since, and after
/// two o'clock UTC each night. A small table is analysed once; autovacuum does it if it grows.
///
/// **Cost.** ANALYZE of a partitioned table samples 30,000 rows of all partitions together, however
/// many there are. Then it would analyse every partition, although autovacuum has done so, and a
/// past day does not change. PostgreSQL has no option against that before 18. So a second session
/// locks the partitions meanwhile, and ANALYZE skips what is locked.
///
/// **Locks.** Reading and writing go on. Nobody can make, attach or vacuum partitions of the table
/// meanwhile, so an attempt has ``attemptMax``. A second attempt samples a tenth of the rows. We
/// wait for a lock for at most ``lockMax``, and for the table itself not at all: who has it locked
/// is another node that analyses it, or attaches a day.
///
/// **Citus.** The coordinator's tables have no rows, so none is due.
public enum PlannerStatistics {
    /// A partitioned table, or one that was never analysed.
    public struct Table: Equatable, Sendable {
        /// With the schema, quoted where necessary.
        public let name: String
        /// Whether its rows are in partitions.
        public let isPartitioned: Bool
        /// Estimate of PostgreSQL; of a table without partitions not known: 1.
        public let rows: Int
        /// The rows when it was last analysed; nil: that never happened.
        public let analyzedRows: Int?
        /// Whether it was last analysed before two o'clock UTC of the last night, or PostgreSQL has
        /// lost the time, as after a crash.
        public let isOfEarlierNight: Bool
        /// Whether that was over three days ago.
        public let isOld: Bool

        /// For the gathering, and for tests of rules.
        public init(
            _ name: String, isPartitioned: Bool = true, rows: Int, analyzedRows: Int?,
            isOfEarlierNight: Bool = false, isOld: Bool = false
        ) {
            self.name = name
            self.isPartitioned = isPartitioned
            self.rows = rows
            self.analyzedRows = analyzedRows
            self.isOfEarlierNight = isOfEarlierNight
            self.isOld = isOld
        }

        /// Whether ``refresh(on:)`` analyses it.
        public var isDue: Bool {
            guard let analyzedRows else { return true }
            return rows >= 2 * analyzedRows || isOfEarlierNight
        }

        /// Whether a running server should have analysed it long ago, and plans suffer.
        public var isNeglected: Bool {
            guard isPartitioned, rows >= 10_000 else { return false }
            guard let analyzedRows else { return true }
            return rows >= 10 * analyzedRows || isOld
        }
    }

    /// Limit of an attempt.
    static let attemptMax: Duration = .seconds(5)
    /// Limit of the wait for a partition that somebody has locked against reading.
    static let lockMax: Duration = .seconds(1)
    /// The planner's sample has 300 rows for each unit. The first value is PostgreSQL's default.
    private static let targets = [100, 10]

    /// The partitioned tables of `sluice` that have rows, and the tables with rows that were never
    /// analysed. Takes 30 ms with 730 days.
    ///
    /// - Parameter owned: only those that this role may analyse.
    public static func tables(
        owned: Bool = false, on connection: Connection
    ) throws(PostgresError) -> [Table] {
        let rows = try connection.query(
            """
            SELECT format('sluice.%I', c.relname), c.relkind = 'p', n.rows::bigint,
                c.reltuples::bigint, coalesce(s.analyzed < s.night, true),
                coalesce(s.analyzed < now() - interval '3 days', false)
            FROM pg_class c
            CROSS JOIN LATERAL (
                SELECT CASE WHEN c.relkind = 'r' THEN sign(pg_relation_size(c.oid)) ELSE (
                    SELECT sum(greatest(p.reltuples, pg_stat_get_live_tuples(p.oid)))
                    FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhrelid
                    WHERE i.inhparent = c.oid
                ) END AS rows
            ) n
            CROSS JOIN LATERAL (
                SELECT pg_stat_get_last_analyze_time(c.oid) AS analyzed,
                    date_trunc('day', now() - interval '2 hours', 'UTC') + interval '2 hours'
                        AS night
            ) s
            WHERE c.relnamespace = 'sluice'::regnamespace AND n.rows > 0
                AND (c.relkind = 'p' OR c.relkind = 'r' AND c.reltuples < 0)
                AND (NOT \(owned) OR pg_has_role(c.relowner, 'USAGE'))
            ORDER BY 1
            """)
        return (0..<rows.count).map { row in
            let analyzed = Int(rows.int64(row, 3))
            return Table(
                rows.string(row, 0), isPartitioned: rows.bool(row, 1),
                rows: Int(rows.int64(row, 2)), analyzedRows: analyzed < 0 ? nil : analyzed,
                isOfEarlierNight: rows.bool(row, 4), isOld: rows.bool(row, 5))
        }
    }

    /// Analyses the tables that are due. A table that fails rests, see ``FailingItems``.
    ///
    /// Takes 2 s for 730 days of small partitions, and less than a minute whatever happens. The
    /// connection must not be in a transaction.
    ///
    /// - Returns: the tables that were analysed.
    /// - Throws: an error that concerns all tables, such as a lost connection.
    @discardableResult
    public static func refresh(on connection: Connection) throws(PostgresError) -> [String] {
        let due = try tables(owned: true, on: connection).filter(\.isDue)
        guard !due.isEmpty else { return [] }
        var failing = try FailingItems(.statistics, on: connection)
        let keeper = try connection.openAnother(deadline: connection.deadline)
        defer { keeper.close() }
        var analyzed: [String] = []
        for table in due where !failing.rests(table.name) {
            do throws(PostgresError) {
                guard try analyze(table, on: connection, beside: keeper) else { continue }
                analyzed.append(table.name)
                try failing.succeeded(table.name, on: connection)
            } catch {
                guard error.kind == .refused, !error.isConnectionClosed else { throw error }
                try failing.failed(table.name, error, on: connection)
            }
        }
        return analyzed
    }

    /// - Returns: false if somebody else has locked the table, or has just analysed it.
    private static func analyze(
        _ table: Table, on connection: Connection, beside keeper: Connection
    ) throws(PostgresError) -> Bool {
        for (number, target) in targets.enumerated() {
            do throws(PostgresError) {
                return try attempt(table, target: target, on: connection, beside: keeper)
            } catch {
                try keeper.rollback()
                try connection.rollback()
                guard error.sqlState == canceled, number + 1 < targets.count else { throw error }
            }
        }
        preconditionFailure("BUG: no target")
    }

    private static func attempt(
        _ table: Table, target: Int, on connection: Connection, beside keeper: Connection
    ) throws(PostgresError) -> Bool {
        do throws(PostgresError) {
            try connection.execute(
                """
                BEGIN;
                SET LOCAL lock_timeout = '\(lockMax / .milliseconds(1))ms';
                SET LOCAL synchronous_commit = off;
                SET LOCAL default_statistics_target = \(target);
                LOCK TABLE ONLY \(table.name) IN SHARE UPDATE EXCLUSIVE MODE NOWAIT
                """)
        } catch {
            try connection.rollback()
            guard error.sqlState == lockNotAvailable else { throw error }
            return false
        }
        let isDue = try tables(owned: true, on: connection).contains {
            $0.name == table.name && $0.isDue
        }
        guard isDue else {
            try connection.rollback()
            return false
        }
        if table.isPartitioned { try keeper.execute(lockingPartitions(of: table)) }
        try connection.execute(
            "SET LOCAL statement_timeout = '\(attemptMax / .milliseconds(1))ms'")
        try connection.execute("ANALYZE (SKIP_LOCKED) \(table.name)")
        try connection.commit()
        try keeper.rollback()
        return true
    }

    /// Begins a transaction with the locks. A partition that somebody else has locked is skipped
    /// anyway.
    private static func lockingPartitions(of table: Table) -> String {
        """
        BEGIN;
        SET LOCAL lock_timeout = '\(lockMax / .milliseconds(1))ms';
        DO $do$
        DECLARE
            part regclass;
            is_foreign boolean;
        BEGIN
            FOR part, is_foreign IN
                SELECT i.inhrelid, c.relkind = 'f'
                FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                WHERE i.inhparent = '\(table.name.replacing("'", with: "''"))'::regclass
            LOOP
                BEGIN
                    IF is_foreign THEN
                        -- The same lock; LOCK TABLE does not take foreign tables. ANALYZE would
                        -- read a sealed day as a whole.
                        EXECUTE format('COMMENT ON FOREIGN TABLE %s IS NULL', part);
                    ELSE
                        EXECUTE format('LOCK TABLE %s IN SHARE UPDATE EXCLUSIVE MODE NOWAIT', part);
                    END IF;
                EXCEPTION WHEN lock_not_available OR undefined_table THEN
                    NULL;
                END;
            END LOOP;
        END
        $do$
        """
    }

    private static let lockNotAvailable: SQLState = "55P03"
    private static let canceled: SQLState = "57014"
}
