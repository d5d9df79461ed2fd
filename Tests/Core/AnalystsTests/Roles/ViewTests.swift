import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ViewTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a track has each position once, and its distance is that of the rollups`(
        seed: UInt64
    ) throws {
        let sample = try Sample(seed: seed)
        let positions = sample.readings.filter { $0.kind == "gps" }.count
        let tracks = try sample.connection.query(
            "SELECT count(*), count(from_time), sum(metres) FROM analytics.track")
        #expect(tracks.int64(0, 0) == positions)
        #expect(tracks.int64(0, 1) < positions)
        let differences = try sample.rows(
            """
            SELECT * FROM (
                SELECT t.device_id, sluice.minute_of(t.time) AS minute,
                    coalesce(sum(t.metres), 0) AS metres
                FROM analytics.track t GROUP BY 1, 2
            ) t
            FULL JOIN analytics.distance_minute m
                ON m.device_id = t.device_id AND m.time = t.minute
            WHERE m.metres IS NULL OR t.metres IS NULL
                OR abs(m.metres - t.metres) > 1e-6
            """)
        #expect(differences == [])
        let wrong = try sample.rows(
            """
            SELECT * FROM analytics.track
            WHERE from_time < time - interval '1 day' OR from_time > time
                OR seconds IS DISTINCT FROM extract(epoch FROM time - from_time)
                OR metres_per_second IS DISTINCT FROM metres / nullif(seconds, 0)
            """)
        #expect(wrong == [])
    }

    @Test func `the latest vitals are those of the last day before the newest vital`() throws {
        let sample = try Sample(seed: 6)
        var expected: [String] = []
        for (device, readings) in sample.byDevice() {
            let vitals = readings.filter { $0.kind == "vital" }
            guard let newest = vitals.last?.second else { continue }
            let recent = vitals.filter { $0.second > newest - 86_400 }
            for (code, values) in Dictionary(grouping: recent, by: \.code) {
                let last = try #require(
                    values.max { ($0.second, $0.value) < ($1.second, $1.value) })
                let metric = [1: "heart_rate", 20: "steps"][code] ?? ""
                expected.append("(device-\(device),\(code),\(metric),\(last.second),\(last.value))")
            }
        }
        let found = try sample.connection.query(
            """
            SELECT format('(%s,%s,%s,%s,', device_id, code, metric,
                extract(epoch FROM time)::bigint - 946684800), value
            FROM analytics.latest_vital
            """)
        #expect(
            (0..<found.count).map { "\(found.string($0, 0))\(found.float64($0, 1)))" }.sorted()
                == expected.sorted())
    }

    @Test(arguments: [7, 8] as [UInt64])
    func `day views equal a GROUP BY over the rows`(seed: UInt64) throws {
        let sample = try Sample(seed: seed)
        var expected: Set<String> = []
        for (device, readings) in sample.byDevice() {
            for (day, own) in Dictionary(grouping: readings, by: { $0.second / 86_400 }) {
                let counts = ["gps", "vital", "event"].map { kind in
                    "\(own.filter { $0.kind == kind }.count)"
                }
                expected.insert("(device-\(device),\(day),\(counts.joined(separator: ",")))")
            }
        }
        let days = try sample.rows(
            """
            SELECT device_id, day - date '2000-01-01', positions, vitals, events
            FROM analytics.device_day
            """)
        #expect(Set(days) == expected && days.count == expected.count)
        let differences = try sample.rows(
            """
            SELECT * FROM analytics.vital_day d FULL JOIN (
                SELECT device_id, code, (time AT TIME ZONE 'UTC')::date AS day,
                    count(*) AS readings, min(value) AS low, max(value) AS high,
                    sum(value) AS total,
                    (array_agg(value ORDER BY time DESC, value DESC))[1] AS last_value
                FROM analytics.vital GROUP BY 1, 2, 3
            ) v USING (device_id, code, day)
            WHERE (d.readings, d.low, d.high, d.total, d.last_value)
                IS DISTINCT FROM (v.readings, v.low, v.high, v.total, v.last_value)
            """)
        #expect(differences == [])
        let metres = try sample.connection.query(
            """
            SELECT abs((SELECT sum(metres) FROM analytics.device_day)
                - (SELECT sum(metres) FROM analytics.distance_minute)) < 1e-3
            """)
        #expect(metres.bool(0, 0))
    }

    @Test func `the hourly rollups add up to the minutes`() throws {
        let sample = try Sample(seed: 9)
        let differences = try sample.rows(
            """
            SELECT * FROM analytics.vital_hour h FULL JOIN (
                SELECT device_id, code, date_trunc('hour', time) AS time,
                    sum(readings) AS readings, min(low) AS low, max(high) AS high
                FROM analytics.vital_minute GROUP BY 1, 2, 3
            ) m USING (device_id, code, time)
            WHERE (h.readings, h.low, h.high) IS DISTINCT FROM (m.readings, m.low, m.high)
                OR h.mean IS DISTINCT FROM h.total / h.readings
            """)
        #expect(differences == [])
    }

    @Test func `metrics have names, codes without one, and those who send them`() throws {
        let sample = try Sample(seed: 10)
        try sample.connection.execute(
            """
            SELECT sluice.ensure_days(current_date, current_date);
            INSERT INTO sluice.vital SELECT k, now(), 99, 1 FROM generate_series(2, 3) k;
            INSERT INTO sluice.rollup_due
                SELECT k, sluice.hour_of(now()), 'vital' FROM generate_series(2, 3) k
            """)
        let metrics = try sample.rows(
            """
            SELECT code, name, unit, devices, readings, last_seen > now() - interval '2 minutes'
            FROM analytics.metric WHERE code IN (2, 99) ORDER BY 1
            """)
        #expect(metrics == ["(2,heart_rate_variability_sdnn,ms,0,0,)", "(99,,,2,2,t)"])
    }

    @Test func `quarantine_by_reason and fleet count the stored rows`() throws {
        let sample = try Sample(seed: 10)
        try sample.connection.execute(
            """
            INSERT INTO sluice.quarantine
                (device_key, device_id, reason, body, reading_index, api_key, received_at)
            SELECT i % 3, 'device-' || i % 3, CASE WHEN i < 4 THEN 't_too_old' ELSE 'lat_missing'
                END, convert_to(i::text, 'UTF8'), 0, 'k', now() - i * interval '10 hours'
            FROM generate_series(1, 9) i;
            UPDATE sluice.device_state SET last_seen = CASE device_key
                WHEN 2 THEN now() - interval '2 hours' WHEN 3 THEN now() - interval '9 days'
                ELSE now() END;
            UPDATE sluice.device_state SET gps_until = now() + interval '1 hour',
                late_readings = 2, readings = 8 WHERE device_key = 4
            """)
        #expect(
            try sample.rows(
                "SELECT reason, readings, devices, last_day, bytes "
                    + "FROM analytics.quarantine_by_reason ORDER BY 1")
                == ["(lat_missing,6,3,0,6)", "(t_too_old,3,3,2,3)"])
        #expect(
            try sample.rows(
                "SELECT devices, users, active_5_minutes, active_hour, active_day, silent_7_days, "
                    + "late_readings, clocks_ahead, quarantined FROM analytics.fleet")
                == ["(5,2,3,3,4,1,2,1,9)"])
    }
}
