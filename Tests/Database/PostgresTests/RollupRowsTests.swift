import Postgres
import Schema
import TestSupport
import Testing

/// Step 24: minute sums that older binaries wrote become hour sums.
@Suite(.timeLimit(.minutes(10)))
struct RollupRowsTests {
    /// Rows that binaries with steps 11 to 15 write.
    private static let before = """
        INSERT INTO sluice.vital_rollup (device_key, minute, code, readings, low, high, total,
            last_t, last_val)
        SELECT 7, m, c, 2, c, 10 * c, 11 * c, m + interval '59.999999 s', -c
        FROM generate_series('2026-02-10 22:50+00'::timestamptz, '2026-02-11 00:05+00', '1 min') m,
            generate_series(-1, 2) c
        """

    /// Rows that binaries with steps 16 to 23 write.
    private static let since = """
        INSERT INTO sluice.vital_rollup (device_key, minute, readings, codes, sums)
        SELECT 7, m, 8, '{-1,0,1,2}',
            ARRAY[[2, -1, -10, -11, 59999999, 1], [2, 0, 0, 0, 59999999, 0],
                [2, 1, 10, 11, 59999999, -1], [2, 2, 20, 22, 59999999, -2]]
        FROM generate_series('2026-02-10 23:30+00'::timestamptz, '2026-02-11 01:01+00', '1 min') m;
        INSERT INTO sluice.gps_rollup
        SELECT 7, m, 1, 0.5
        FROM generate_series('2026-02-10 23:30+00'::timestamptz, '2026-02-11 01:01+00', '1 min') m
        """

    /// Only views of sums, because there are no rows of readings.
    private static func sums(_ connection: Connection) throws -> [String] {
        let rows = try connection.query(
            """
            SELECT v::text FROM analytics.vital_hour v UNION ALL
            SELECT v::text FROM analytics.distance_hour v UNION ALL
            SELECT v::text FROM analytics.vital_day v UNION ALL
            SELECT v::text FROM analytics.device_day v ORDER BY 1
            """)
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    @Test func `minute sums become hour sums, also for detached days`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "rows", migrated: false)
        _ = try Migrator(migrations: Array(Schema.migrations.prefix(15))).run(on: connection)
        try connection.execute(
            """
            SELECT sluice.ensure_days('2026-02-10', '2026-02-11');
            INSERT INTO sluice.device (device_key, device_id, user_id) VALUES (7, 'd', 'u');
            \(Self.before)
            """)
        _ = try Migrator(migrations: Array(Schema.migrations.prefix(23))).run(on: connection)
        try connection.execute(Self.since)
        let sums = try Self.sums(connection)
        #expect(sums.count == 4 * 4 + 3 + 2 * 4 + 2)
        // One day that is chosen to be archived, and one that is already detached.
        try connection.execute(
            """
            SELECT sluice.begin_leaving('vital_rollup', '2026-02-10'),
                sluice.begin_leaving('gps_rollup', '2026-02-10');
            ALTER TABLE sluice.vital_rollup
            DETACH PARTITION sluice_partitions.leaving_1_vital_rollup_20260210
            """)
        _ = try Migrator().run(on: connection)
        try connection.execute(
            """
            ALTER TABLE sluice.vital_rollup
            ATTACH PARTITION sluice_partitions.leaving_1_vital_rollup_20260210
            FOR VALUES FROM ('2026-02-10 00:00+00') TO ('2026-02-11 00:00+00')
            """)
        #expect(try Self.sums(connection) == sums)
        let left = try connection.query(
            "SELECT count(*) FROM pg_class WHERE relname ~ '^old_|minutes$'")
        #expect(left.int64(0, 0) == 0)
    }
}
