import Postgres
import TestSupport
import Testing

/// One rule of distance, whatever view is asked and whichever days have left.
@Suite(.timeLimit(.minutes(10)))
struct DistanceTests {
    let connection: Connection

    /// Three positions at noon of each of three days, 71 m apart, 214 m from day to day.
    init() throws {
        connection = try TestCluster.shared.freshConnection(named: "distance")
        try connection.execute(
            """
            SELECT sluice.ensure_days('2026-02-01', '2026-02-07');
            INSERT INTO sluice.device (device_key, device_id, user_id) VALUES (1, 'd', 'u');
            INSERT INTO sluice.device_state (device_key, key_check) VALUES (1, 1);
            INSERT INTO sluice.gps
                SELECT 1, day + interval '12 hours' + n * interval '10 minutes', 50,
                    8 + extract(day FROM day) * 0.003 + n * 0.001, 5
                FROM generate_series('2026-02-01Z'::timestamptz, '2026-02-03Z', '1 day') day,
                    generate_series(0, 2) n;
            SELECT sluice.rebuild_rollups(date '2026-02-01' + n) FROM generate_series(0, 6) n;
            CREATE PROCEDURE leave(of_day date, file text DEFAULT NULL) LANGUAGE plpgsql AS $$
            DECLARE
                key bigint := -9223372036854775808;
                part integer;
            BEGIN
                WHILE key IS NOT NULL LOOP
                    key := sluice.sum_hours(key, of_day::timestamp AT TIME ZONE 'UTC',
                        (of_day + 1)::timestamp AT TIME ZONE 'UTC');
                END LOOP;
                part := sluice.begin_leaving('gps', of_day);
                EXECUTE format('ALTER TABLE sluice.gps DETACH PARTITION sluice_partitions.%I',
                    sluice.leaving_name('gps', of_day, part));
                UPDATE sluice.archive SET state = 'detached'
                WHERE day = of_day AND kind = 'gps' AND state = 'leaving';
                PERFORM sluice.end_leaving(
                    'gps', of_day, part, 3, file, NULL, NULL, NULL, NULL, NULL);
            END $$;
            CREATE TABLE whole AS SELECT * FROM sluice.gps;
            CREATE PROCEDURE come_back(of_day date) LANGUAGE plpgsql AS $$
            BEGIN
                UPDATE sluice.archive SET state = 'restored' WHERE day = of_day AND kind = 'gps';
                PERFORM sluice.make_room('gps', of_day), sluice.attach_room('gps', of_day);
                INSERT INTO sluice.gps SELECT * FROM whole WHERE (t AT TIME ZONE 'UTC')::date = of_day;
            END $$
            """)
    }

    private func text(_ sql: String) throws -> [String] {
        let rows = try connection.query(sql)
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    private func days() throws -> [String] {
        try text("SELECT round(metres)::text FROM analytics.device_day ORDER BY day")
    }

    private func sumAll() throws {
        try connection.execute("SELECT sluice.sum_hours(hours_max => 100)")
    }

    @Test func `all views have the same sum, before and after the hours are summed`() throws {
        let sums = """
            SELECT round(sum(metres)::numeric, 3)::text FROM analytics.track
            UNION SELECT round(sum(metres)::numeric, 3)::text FROM analytics.distance_minute
            UNION SELECT round(sum(metres)::numeric, 3)::text FROM analytics.distance_hour
            UNION SELECT round(sum(metres)::numeric, 3)::text FROM analytics.device_day
            UNION SELECT round(sum(metres)::numeric, 3)::text FROM analytics.device_local_day
            """
        #expect(try text(sums) == ["571.799"])
        try sumAll()
        #expect(try text(sums) == ["571.799"])
    }

    @Test func `after a pause of more than a day there is no way, in any view`() throws {
        try connection.execute(
            """
            INSERT INTO sluice.gps VALUES (1, '2026-02-05 12:00Z', 50, 9, 5),
                (1, '2026-02-06 12:00Z', 50, 9.001, 5), (1, '2026-02-07 12:00:01Z', 50, 9.002, 5);
            SELECT sluice.rebuild_rollups(date '2026-02-01' + n) FROM generate_series(0, 6) n
            """)
        let last = "['2026-02-05', '2026-02-06', '2026-02-07']::date[]"
        for _ in 0..<2 {
            #expect(
                try text(
                    """
                    SELECT coalesce(round(sum(metres))::text, '-') FROM analytics.track
                    WHERE time >= '2026-02-05Z' GROUP BY time ORDER BY time
                    """) == ["-", "71", "-"])
            for view in ["device_day", "device_local_day"] {
                #expect(
                    try text(
                        """
                        SELECT round(metres)::text FROM analytics.\(view)
                        WHERE day = ANY (ARRAY\(last)) ORDER BY day
                        """) == ["0", "71", "0"], "\(view)")
            }
            #expect(
                try text(
                    """
                    SELECT round(metres)::text FROM analytics.distance_minute
                    WHERE time >= '2026-02-05Z' ORDER BY time
                    """) == ["0", "71", "0"])
            try sumAll()
        }
    }

    /// Many positions of one time, some at one place, equal but for the altitude, without accuracy or
    /// after a pause of days; two users of a device; a position that is kept of a day that left.
    @Test(arguments: [0.1, 0.2, 0.3])
    func `a track is what a window over all positions gives`(seed: Double) throws {
        try connection.execute(
            """
            SELECT setseed(\(seed));
            INSERT INTO sluice.device (device_key, device_id, user_id)
                VALUES (2, 'd', 'v'), (3, 'e', 'u'), (4, 'f', 'w');
            INSERT INTO sluice.gps (device_key, t, lat, lon, acc, alt)
                SELECT DISTINCT k, timestamptz '2026-02-02 00:00Z'
                        + interval '20 minutes' * floor(random() * 5 * 24 * 3 / k)::int
                        + CASE WHEN random() < 0.1 THEN interval '1 microsecond' ELSE '0' END,
                    50 + floor(random() * 3), 8 + floor(random() * 2),
                    CASE WHEN random() < 0.7 THEN floor(random() * 3) END,
                    CASE WHEN random() < 0.5 THEN 5 END
                FROM generate_series(2, 4) k, generate_series(1, 800) n
                WHERE k < 4 OR n < 8;
            INSERT INTO sluice.kept_position (device_key, t, lat, lon) VALUES
                (2, '2026-02-01 23:00Z', 9, 9), (3, '2026-02-01 00:00Z', 9, 9),
                (4, '2026-02-01 00:10Z', 9, 9);
            CREATE TEMP TABLE expected AS
                SELECT d.device_id, d.user_id, w.t, w.lat, w.lon, w.acc,
                    CASE WHEN w.is_near THEN w.from_t END AS from_t,
                    CASE WHEN w.is_near THEN w.from_lat END AS from_lat,
                    CASE WHEN w.is_near THEN w.from_lon END AS from_lon,
                    CASE WHEN w.is_near THEN date_part('epoch', w.t - w.from_t) END AS seconds,
                    CASE WHEN w.is_near
                        THEN sluice.metres_between(w.from_lat, w.from_lon, w.lat, w.lon) END AS metres
                FROM (
                    SELECT p.*, lag(p.t) OVER way AS from_t, lag(p.lat) OVER way AS from_lat,
                        lag(p.lon) OVER way AS from_lon,
                        p.t - lag(p.t) OVER way <= interval '1 day' AS is_near
                    FROM (
                        SELECT device_key, t, lat, lon, acc, alt, false AS is_kept FROM sluice.gps
                        UNION ALL
                        SELECT device_key, t, lat, lon, 0, 0, true FROM sluice.kept_position
                    ) p
                    WINDOW way AS (
                        PARTITION BY p.device_key ORDER BY p.t, p.lat, p.lon, p.acc, p.alt)
                ) w
                JOIN sluice.device d USING (device_key)
                WHERE NOT w.is_kept
            """)
        let expected = "SELECT *, metres / nullif(seconds, 0) FROM expected"
        for (filter, here) in [
            ("true", "true"), ("device_id = 'e'", "device_id = 'e'"),
            (
                "time >= '2026-02-03 05:00Z' AND time < '2026-02-03 07:00Z' AND user_id = 'v'",
                "t >= '2026-02-03 05:00Z' AND t < '2026-02-03 07:00Z' AND user_id = 'v'"
            ),
        ] {
            let counts = try connection.query(
                """
                WITH found AS MATERIALIZED (SELECT * FROM analytics.track WHERE \(filter)),
                    wanted AS MATERIALIZED (\(expected) WHERE \(here))
                SELECT (SELECT count(*) FROM found),
                    (SELECT count(*) FROM (SELECT * FROM found EXCEPT ALL SELECT * FROM wanted) x)
                    + (SELECT count(*) FROM (SELECT * FROM wanted EXCEPT ALL SELECT * FROM found) x)
                """)
            #expect(counts.int64(0, 0) > 5, "\(filter)")
            #expect(counts.int64(0, 1) == 0, "\(filter)")
        }
    }

    @Test func `days that leave together keep the ways between them`() throws {
        #expect(try days() == ["143", "214", "214"])
        for day in 1...3 { try connection.execute("CALL leave('2026-02-0\(day)')") }
        #expect(try days() == ["143", "214", "214"])
    }

    @Test func `a late position does not lose the way from a day that has left`() throws {
        try sumAll()
        try connection.execute("CALL leave('2026-02-01'); CALL leave('2026-02-02')")
        try connection.execute(
            """
            INSERT INTO sluice.gps VALUES (1, '2026-02-03 12:05Z', 50, 8.0095, 5);
            INSERT INTO sluice.rollup_due VALUES (1, '2026-02-03 12:00Z', 'gps')
            """)
        #expect(try days() == ["143", "214", "214"])
        #expect(
            try text("SELECT round(sum(metres))::text FROM analytics.track") == ["214"])
        try sumAll()
        #expect(try days() == ["143", "214", "214"])
    }

    /// As a lane stores a position that comes late.
    private func storeLate(_ day: Int, at time: String, longitude: Double) throws {
        try connection.execute(
            """
            INSERT INTO sluice.gps VALUES (1, '2026-02-0\(day) \(time)Z', 50, \(longitude), 5);
            INSERT INTO sluice.rollup_due
            VALUES (1, sluice.hour_of('2026-02-0\(day) \(time)Z'), 'gps') ON CONFLICT DO NOTHING;
            CALL sluice.note_next_hours(
                ARRAY[1], ARRAY[sluice.hour_of('2026-02-0\(day) \(time)Z')])
            """)
    }

    @Test func `a day that came back between two that are out keeps its ways, and theirs`() throws {
        try sumAll()
        for day in 1...3 { try connection.execute("CALL leave('2026-02-0\(day)', 'file')") }
        try connection.execute("CALL come_back('2026-02-02')")
        #expect(try days() == ["143", "214", "214"])
        // 71 m on, and from there back to the first position of the third day, which is 71 m nearer.
        try storeLate(2, at: "13:00", longitude: 8.009)
        #expect(try days() == ["143", "286", "143"])
        try sumAll()
        #expect(try days() == ["143", "286", "143"])
        // Before the first position: the way from the first day stays.
        try storeLate(2, at: "11:00", longitude: 8.0055)
        try sumAll()
        #expect(try days() == ["143", "286", "143"])
        try connection.execute("CALL leave('2026-02-02', 'file'); CALL come_back('2026-02-03')")
        #expect(try days() == ["143", "286", "143"])
        try connection.execute(
            "SELECT sluice.rebuild_rollups('2026-02-03'); SELECT sluice.sum_hours(hours_max => 100)"
        )
        #expect(try days() == ["143", "286", "143"])
    }

    @Test func `one position of a day that left is kept, as long as the next day is there`() throws
    {
        let kept = "SELECT t::text FROM sluice.kept_position WHERE NOT is_first ORDER BY t"
        try connection.execute("SET TimeZone = 'UTC'; CALL leave('2026-02-01')")
        #expect(try text(kept) == ["2026-02-01 12:20:00+00"])
        try connection.execute("CALL leave('2026-02-02')")
        #expect(try text(kept) == ["2026-02-02 12:20:00+00"])
        try connection.execute("CALL leave('2026-02-03'); CALL leave('2026-02-04')")
        #expect(try text(kept) == [])
    }
}
