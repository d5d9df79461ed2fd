import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CompletenessTests {
    /// The number of gaps, which are runs of empty hours between others, and the longest gap in
    /// hours. Counts the 168 hours up to the newest reading.
    private static func gaps(_ readings: [Sample.Reading]) -> (count: Int, longest: Int) {
        let hours = Set(readings.map { $0.second / 3600 })
        guard let newest = hours.max() else { return (0, 0) }
        let full = hours.filter { $0 > newest - 168 }.sorted()
        let pauses = zip(full, full.dropFirst()).map { $1 - $0 - 1 }.filter { $0 > 0 }
        return (pauses.count, pauses.max() ?? 0)
    }

    @Test(arguments: [11, 12, 13] as [UInt64])
    func `first, last and gaps match the readings`(seed: UInt64) throws {
        let sample = try Sample(seed: seed)
        let expected = sample.byDevice().map { device, readings in
            let (count, longest) = Self.gaps(readings)
            return "(device-\(device),\(readings[0].second),\(readings[readings.count - 1].second),"
                + "\(readings.count),\(count),\(longest))"
        }
        #expect(
            try sample.rows(
                """
                SELECT device_id, extract(epoch FROM oldest_time)::bigint - 946684800,
                    extract(epoch FROM newest_time)::bigint - 946684800, readings, gaps,
                    extract(epoch FROM longest_gap)::bigint / 3600
                FROM analytics.completeness WHERE readings > 0
                """
            ).sorted() == expected.sorted())
        #expect(
            try sample.rows(
                """
                SELECT oldest_time, newest_time, late_share, complete_up_to, clock_skew, gaps
                FROM analytics.completeness WHERE readings = 0
                """) == ["(,,,,,0)"])
    }

    @Test(arguments: [11, 12, 13] as [UInt64])
    func `gaps are the same with few readings and with many`(seed: UInt64) throws {
        let sample = try Sample(seed: seed)
        let gaps = "SELECT device_id, gaps, longest_gap FROM analytics.completeness ORDER BY 1"
        let few = try sample.rows(gaps)
        // Now the query looks up the hours one by one.
        try sample.connection.execute("UPDATE sluice.device_state SET readings = 1000000000")
        #expect(try sample.rows(gaps) == few)
    }

    @Test func `complete_up_to goes back by as much as a kind was late, for 30 days`() throws {
        let sample = try Sample(seed: 14)
        try sample.connection.execute(
            """
            UPDATE sluice.device_state SET gps_until = '2026-02-12 12:00+00',
                vital_until = '2026-02-12 11:00+00', event_until = '-infinity',
                gps_late_by_us = 600000000, vital_late_by_us = 0, late_readings = 3, readings = 12,
                late_at = now() - interval '29 days', last_seen = '2026-02-12 12:30+00'
            WHERE device_key = 2;
            UPDATE sluice.device_state SET gps_until = '2026-02-12 12:00+00',
                vital_until = '-infinity', event_until = '-infinity', gps_late_by_us = 600000000,
                late_at = now() - interval '31 days', last_seen = '2026-02-12 12:30+00'
            WHERE device_key = 3;
            -- An hour ahead.
            UPDATE sluice.device_state SET gps_until = '2026-02-12 13:00+00',
                gps_before = '2026-02-12 12:00+00', vital_until = '-infinity',
                event_until = '-infinity', last_seen = '2026-02-12 12:00+00'
            WHERE device_key = 4
            """)
        #expect(
            try sample.rows(
                """
                SELECT late_by, late_share, clock_skew,
                    gps_complete_up_to AT TIME ZONE 'UTC', vital_complete_up_to AT TIME ZONE 'UTC',
                    event_complete_up_to, complete_up_to AT TIME ZONE 'UTC'
                FROM analytics.completeness WHERE device_id IN ('device-2', 'device-3', 'device-4')
                ORDER BY device_id
                """) == [
                    "(00:10:00,0.25,-00:30:00,\"2026-02-12 11:50:00\",\"2026-02-12 11:00:00\",,"
                        + "\"2026-02-12 11:00:00\")",
                    "(00:00:00,0,-00:30:00,\"2026-02-12 12:00:00\",,,\"2026-02-12 12:00:00\")",
                    "(00:00:00,0,01:00:00,\"2026-02-12 12:00:00\",,,\"2026-02-12 12:00:00\")",
                ])
    }
}
