import Postgres
import TestSupport
import Testing

/// Days of the users' time zones.
@Suite(.timeLimit(.minutes(10)))
struct LocalDayTests {
    private static let zones = [
        "Asia/Tokyo", "America/Los_Angeles", "Asia/Kolkata", "Asia/Kathmandu",
        "Australia/Lord_Howe",
        "UTC", "Nowhere/Land",
    ]

    private static func settle(_ zone: String, _ sample: Sample) throws {
        try sample.connection.execute(
            """
            INSERT INTO sluice.app_user (user_id, time_zone)
            VALUES ('user-0', '\(zone)'), ('user-1', 'Asia/Tokyo')
            """)
    }

    @Test(arguments: zones)
    func `local days equal a GROUP BY over the rows`(zone: String) throws {
        let sample = try Sample(seed: 11)
        try Self.settle(zone, sample)
        let known = zone == "Nowhere/Land" ? "UTC" : zone
        let zones = try sample.rows(
            "SELECT DISTINCT user_id, time_zone FROM analytics.device ORDER BY 1")
        #expect(zones == ["(user-0,\(known))", "(user-1,Asia/Tokyo)"])
        let vitals = try sample.rows(
            """
            SELECT * FROM analytics.vital_local_day d FULL JOIN (
                SELECT v.device_id, v.code, (v.time AT TIME ZONE d.time_zone)::date AS day,
                    count(*) AS readings, min(v.value) AS low, max(v.value) AS high,
                    sum(v.value) AS total,
                    (array_agg(v.value ORDER BY v.time DESC, v.value DESC))[1] AS last_value
                FROM analytics.vital v JOIN analytics.device d USING (device_id, user_id)
                GROUP BY 1, 2, 3
            ) v USING (device_id, code, day)
            WHERE (d.readings, d.low, d.high, d.total, d.last_value, d.is_exact)
                IS DISTINCT FROM (v.readings, v.low, v.high, v.total, v.last_value, true)
            """)
        #expect(vitals == [])
        let devices = try sample.rows(
            """
            SELECT * FROM analytics.device_local_day d FULL JOIN (
                SELECT r.device_id, (r.time AT TIME ZONE d.time_zone)::date AS day,
                    count(*) FILTER (WHERE r.kind = 'gps') AS positions,
                    count(*) FILTER (WHERE r.kind = 'vital') AS vitals,
                    count(*) FILTER (WHERE r.kind = 'event') AS events
                FROM analytics.reading r JOIN analytics.device d USING (device_id, user_id)
                GROUP BY 1, 2
            ) r USING (device_id, day)
            WHERE (d.positions, d.vitals, d.events, d.is_exact)
                IS DISTINCT FROM (r.positions, r.vitals, r.events, true)
            """)
        #expect(devices == [])
        let metres = try sample.connection.query(
            """
            SELECT abs((SELECT sum(metres) FROM analytics.device_local_day)
                - (SELECT sum(metres) FROM analytics.track)) < 1e-3
            """)
        #expect(metres.bool(0, 0))
    }

    @Test func `days are those of UTC until somebody sets a zone, also of who has captures`() throws
    {
        let connection = try TestCluster.shared.freshConnection(named: "unset")
        func zone() throws -> String {
            try connection.query("SELECT time_zone FROM analytics.device").string(0, 0)
        }
        try connection.execute(
            """
            INSERT INTO sluice.device (device_key, device_id, user_id) VALUES (1, 'd', 'u');
            SELECT sluice.store_captures(ARRAY['{"id": "c", "user": "u", "at": "2026-02-10T10:00:00Z", '
                '"t": "2026-02-10T10:00:00Z", "text": "x"}'])
            """)
        #expect(try zone() == "UTC")
        // The one that the apps' days have in any case counts, too, when it is set.
        try connection.execute("UPDATE sluice.app_user SET time_zone = 'America/New_York'")
        #expect(try zone() == "America/New_York")
    }

    @Test func `an hour that can't be split any more counts for one day, and both say so`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "split")
        try connection.execute(
            """
            SELECT sluice.ensure_days('2026-02-08', '2026-02-12');
            INSERT INTO sluice.device (device_key, device_id, user_id) VALUES (1, 'd', 'u');
            INSERT INTO sluice.app_user (user_id, time_zone) VALUES ('u', 'Asia/Kolkata');
            INSERT INTO sluice.vital_rollup VALUES
                (1, '2026-02-10 18:00Z', 4, 1, 0, 59, 60, 70, 260, 65),
                (1, '2026-02-10 20:00Z', 2, 1, 0, 59, 60, 70, 130, 65);
            INSERT INTO sluice.gps_rollup VALUES (1, '2026-02-10 18:00Z', 3, 0, 59, 100)
            """)
        let rows = try connection.query(
            """
            SELECT concat_ws(' ', day, readings, is_exact) FROM analytics.vital_local_day
            UNION ALL SELECT concat_ws(' ', day, positions, vitals, metres, is_exact)
            FROM analytics.device_local_day ORDER BY 1
            """)
        #expect(
            (0..<rows.count).map { rows.string($0, 0) } == [
                "2026-02-10 3 4 100 f", "2026-02-10 4 f", "2026-02-11 0 2 0 f", "2026-02-11 2 f",
            ])
        // With the readings there, it is split.
        try connection.execute(
            """
            INSERT INTO sluice.vital VALUES (1, '2026-02-10 18:10Z', 1, 60),
                (1, '2026-02-10 18:29:59Z', 1, 70), (1, '2026-02-10 18:30Z', 1, 65),
                (1, '2026-02-10 18:59Z', 1, 65)
            """)
        let split = try connection.query(
            """
            SELECT concat_ws(' ', day, readings, is_exact) FROM analytics.vital_local_day ORDER BY 1
            """)
        #expect(
            (0..<split.count).map { split.string($0, 0) } == ["2026-02-10 2 t", "2026-02-11 4 t"])
    }

    @Test(arguments: ["device_local_day", "vital_local_day"])
    func `a filter on the day reads three days of UTC`(view: String) throws {
        let connection = try TestCluster.shared.freshConnection(named: "local_plans")
        connection.deadline = .now + .seconds(100)
        try connection.execute(QueryPlanTests.data)
        let rows = try connection.query(
            """
            EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
            SELECT * FROM analytics.\(view) WHERE day = '2026-02-10'
            """)
        let scans = (0..<rows.count).map { rows.string($0, 0) }.filter {
            $0.contains(/on \w+_202602/) && !$0.contains("never executed")
        }
        #expect(!scans.isEmpty && scans.allSatisfy { $0.contains(/_202602(09|10|11)/) }, "\(scans)")
    }
}
