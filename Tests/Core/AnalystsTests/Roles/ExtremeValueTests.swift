import Postgres
import TestSupport
import Testing

/// Rows that were stored before values were bounded.
@Suite(.timeLimit(.minutes(10)))
struct ExtremeValueTests {
    /// The largest double, nearly, numbers below the smallest normal one, and places that are none.
    /// Device 2 is ordinary.
    private static let data = """
        SELECT sluice.ensure_days('2026-02-09', '2026-02-11');
        INSERT INTO sluice.device (device_key, device_id, user_id)
            SELECT i, 'd' || i, 'u' FROM generate_series(1, 3) i;
        INSERT INTO sluice.device_state (device_key, key_check, readings, gps_until, vital_until)
            SELECT i, 0, 9, '2026-02-10 11:00:30Z', '2026-02-10 11:00:30Z'
            FROM generate_series(1, 3) i;
        INSERT INTO sluice.vital VALUES
            (1, '2026-02-10 10:00:00Z', 1, 1.797e308), (1, '2026-02-10 10:00:10Z', 1, 1.797e308),
            (1, '2026-02-10 10:00:00Z', 2, 5e-324), (1, '2026-02-10 10:00:10Z', 2, 0),
            (1, '2026-02-10 10:00:00Z', 3, 1.797e308), (1, '2026-02-10 10:00:10Z', 3, -1.797e308),
            (1, '2026-02-10 10:00:00Z', 4, -1.797e308), (1, '2026-02-10 11:00:30Z', 4, -1.797e308),
            (2, '2026-02-10 10:00:00Z', 1, 1.5), (2, '2026-02-10 10:00:10Z', 1, 2);
        INSERT INTO sluice.gps VALUES
            (1, '2026-02-10 10:00:00Z', 7e-310, 0), (1, '2026-02-10 10:00:10Z', 0, 7e-310),
            (1, '2026-02-10 10:00:20Z', 5e-324, 1e-200), (1, '2026-02-10 11:00:30Z', 1, -5e-324),
            (2, '2026-02-10 10:00:00Z', 1, 1), (2, '2026-02-10 10:00:30Z', 1, 1.001),
            (3, '2026-02-10 10:00:00Z', 1e308, 1e308), (3, '2026-02-10 10:00:10Z', -1e308, -1e308),
            (3, '2026-02-10 10:00:20Z', 'Infinity', 1), (3, '2026-02-10 10:00:30Z', 1, 'NaN');
        INSERT INTO sluice.rollup_due (device_key, hour, kind)
            SELECT device_key, sluice.hour_of(t), 'vital' FROM sluice.vital
            UNION SELECT device_key, sluice.hour_of(t), 'gps' FROM sluice.gps
        """

    private static func texts(_ sql: String, _ connection: Connection) throws -> [String] {
        let rows = try connection.query(sql)
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    private static func sum(_ connection: Connection) throws {
        var after: Int64? = Int64.min
        while let key = after {
            var parameters = Parameters()
            parameters.append(int8: key)
            let rows = try connection.query("SELECT sluice.sum_hours($1)", parameters)
            after = rows.isNull(0, 0) ? nil : rows.int64(0, 0)
        }
    }

    @Test(arguments: [false, true])
    func `they break no view and no sum`(isSummed: Bool) throws {
        let connection = try TestCluster.shared.freshConnection(named: "extreme")
        defer { connection.close() }
        try connection.execute(Self.data)
        if isSummed {
            try Self.sum(connection)
            let due = try connection.query("SELECT count(*) FROM sluice.rollup_due")
            #expect(due.int64(0, 0) == 0)
            // An older version stored such a sum where an hour has one of the values.
            try connection.execute("UPDATE sluice.vital_rollup SET total = low WHERE code = 4")
        }
        let views = try Self.texts(
            """
            SELECT relname::text FROM pg_class
            WHERE relnamespace = 'analytics'::regnamespace AND relkind = 'v' ORDER BY 1
            """, connection)
        #expect(views.count > 15)
        for relation in views + ["sessions_by()", "gaps_by()"] {
            // As text, so that every column is computed.
            _ = try connection.query(
                "SELECT count(v::text) FROM (SELECT * FROM analytics.\(relation)) v")
        }
        let days = try Self.texts(
            """
            SELECT format('%s %s %s %s %s', device_id, code, readings, total, mean)
            FROM analytics.vital_day ORDER BY 1
            """, connection)
        #expect(
            days == [
                "d1 1 2 Infinity Infinity", "d1 2 2 0 0", "d1 3 2 NaN NaN",
                "d1 4 2 -Infinity -Infinity", "d2 1 2 3.5 1.75",
            ])
        let ways = try Self.texts(
            """
            SELECT format('%s %s %s', device_id, positions, round(metres))
            FROM analytics.device_day ORDER BY 1
            """, connection)
        #expect(ways == ["d1 4 111195", "d2 2 111", "d3 4 0"])
        let hours = try Self.texts(
            "SELECT format('%s %s', time, round(metres)) FROM analytics.distance_hour ORDER BY 1",
            connection)
        let minutes = try Self.texts(
            "SELECT format('%s %s', time, round(metres)) FROM analytics.distance_minute ORDER BY 1",
            connection)
        #expect(hours.count == 4 && minutes == hours)
        // What analysts compute of the sums.
        for view in ["vital_minute", "vital_hour", "vital_day"] {
            let sums = try connection.query(
                """
                SELECT sum(total), avg(mean), stddev(total), sum(total * total), sum(mean * mean)
                FROM analytics.\(view) GROUP BY code
                """)
            #expect(sums.count == 4)
        }
    }

    @Test func `ordinary numbers and distances are the same to the bit`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "extreme")
        defer { connection.close() }
        let changed = try Self.texts(
            """
            SELECT v::text FROM unnest('{0, -0, 1e-100, -1e-100, 1.27e-116, 72.5, -1e100, 1e100,
                1e119, Infinity, NaN}'::float8[]) v
            WHERE float8send(sluice.bounded(v)) <> float8send(v)
            """, connection)
        #expect(changed == [])
        let ways = try connection.query(
            """
            SELECT count(*) FROM (
                SELECT lat, lon, lat + d * (random() - 0.5) AS lat2, lon + d * (random() - 0.5) AS lon2
                FROM generate_series(1, 2000),
                    unnest('{0, 1e-14, 1e-6, 0.001, 1, 100}'::float8[]) d,
                    lateral (SELECT random() * 180 - 90 AS lat, random() * 360 - 180 AS lon) p
            ) w
            WHERE float8send(sluice.metres_between(lat, lon, lat2, lon2)) <> float8send(
                2 * 6371008.8 * asin(least(1, sqrt(
                    power(sin(radians(lat2 - lat) / 2), 2) + cos(radians(lat)) * cos(radians(lat2))
                        * power(sin(radians(lon2 - lon) / 2), 2)))))
            """)
        #expect(ways.int64(0, 0) == 0)
    }
}
