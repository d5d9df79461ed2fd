import Postgres
import Schema
import TestSupport
import Testing

/// Step 16: rollups that a binary of before has written, and will write.
@Suite(.timeLimit(.minutes(10)))
struct RollupRowsTests {
    private static let days = ["20260210", "20260211"]

    /// What every binary that knows steps 11 to 15 writes.
    private static let before = """
        INSERT INTO sluice.vital_rollup (device_key, minute, code, readings, low, high, total,
            last_t, last_val)
        SELECT 7, m, c, 2, c, 10 * c, 11 * c, m + interval '59.999999 s', -c
        FROM generate_series('2026-02-10 23:58+00'::timestamptz, '2026-02-11 00:01+00', '1 min') m,
            generate_series(-1, 2) c
        """

    private static let since = """
        INSERT INTO sluice.vital_rollup (device_key, minute, readings, codes, sums)
        SELECT 7, m, 8, '{-1,0,1,2}',
            ARRAY[[2, -1, -10, -11, 59999999, 1], [2, 0, 0, 0, 59999999, 0],
                [2, 1, 10, 11, 59999999, -1], [2, 2, 20, 22, 59999999, -2]]
        FROM generate_series('2026-02-10 23:58+00'::timestamptz, '2026-02-11 00:01+00', '1 min') m
        """

    private static func minutes(_ connection: Connection) throws -> [String] {
        let rows = try connection.query("SELECT v::text FROM analytics.vital_minute v ORDER BY 1")
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    private static func attach(_ place: Int, _ connection: Connection) throws {
        try connection.execute(
            """
            ALTER TABLE sluice.vital_rollup
            ATTACH PARTITION sluice_partitions.vital_rollup_\(days[place])
            FOR VALUES FROM ('2026-02-1\(place) 00:00+00') TO ('2026-02-1\(place + 1) 00:00+00')
            """)
    }

    @Test func `rows of before count on, of days that are apart too`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "rows", migrated: false)
        _ = try Migrator(migrations: Array(Schema.migrations.prefix(15))).run(on: connection)
        try connection.execute(
            """
            SELECT sluice.ensure_days('2026-02-10', '2026-02-11');
            INSERT INTO sluice.device (device_key, device_id, user_id) VALUES (7, 'd', 'u');
            \(Self.before)
            """)
        let minutes = try Self.minutes(connection)
        #expect(minutes.count == 16)
        // One on its way to the archive.
        try connection.execute(
            """
            ALTER TABLE sluice.vital_rollup
            DETACH PARTITION sluice_partitions.vital_rollup_\(Self.days[0])
            """)
        _ = try Migrator().run(on: connection)
        try Self.attach(0, connection)
        #expect(try Self.minutes(connection) == minutes)

        // Both forms fit all of the days.
        try connection.execute("\(Self.before); \(Self.since)")
        let sums = try connection.query(
            "SELECT DISTINCT readings, low, high, last_value FROM analytics.vital_minute ORDER BY 2"
        )
        #expect(sums.count == 4)
        #expect(sums.int64(3, 0) == 6 && sums.float64(3, 1) == 2 && sums.float64(3, 3) == -2)
        let before = try Self.minutes(connection)
        for day in Self.days {
            try connection.query("SELECT sluice.compact_rollups('\(day)')")
        }
        #expect(try Self.minutes(connection) == before)
        #expect(try connection.query("SELECT FROM sluice.vital_rollup").count == 4)
    }
}
