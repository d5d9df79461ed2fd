import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AnalystsTests {
    let connection: Connection

    init() throws {
        connection = try TestCluster.shared.freshConnection(named: "analytics")
        try connection.execute(
            """
            SELECT sluice.ensure_days('2026-02-01', '2026-02-20');
            INSERT INTO sluice.device (device_key, device_id, user_id)
                SELECT i, 'device-' || i, 'user' FROM generate_series(1, 200) i;
            INSERT INTO sluice.device_state (device_key, key_check, gps_until, readings)
                SELECT i, i, CASE WHEN i <= 100 THEN '2026-02-20 12:00+00'::timestamptz
                    ELSE '-infinity' END, 40
                FROM generate_series(1, 200) i;
            INSERT INTO sluice.gps
                SELECT i, day, i, extract(day FROM day), NULL
                FROM generate_series(1, 100) i, generate_series(
                    '2026-02-01 12:00+00'::timestamptz, '2026-02-20 12:00+00', '1 hour') day;
            INSERT INTO sluice.vital
                SELECT i, day, CASE WHEN i % 2 = 0 THEN 1 ELSE 99 END, i
                FROM generate_series(1, 100) i, generate_series(
                    '2026-02-01 12:00+00'::timestamptz, '2026-02-20 12:00+00', '1 hour') day;
            INSERT INTO sluice.event VALUES
                (1, '2026-02-10 12:00+00', 'motion_state', 'walking', '{"a": 1}');
            INSERT INTO sluice.quarantine
                (device_key, device_id, reason, body, reading_index, api_key) VALUES
                (1, 'device-1', 'type_missing', '{"t": "ü"}', 3, 'default');
            ANALYZE
            """)
    }

    private func plan(_ sql: String) throws -> String {
        let rows = try connection.query("EXPLAIN (COSTS OFF) \(sql)")
        return (0..<rows.count).map { rows.string($0, 0) }.joined(separator: "\n")
    }

    @Test(arguments: ["gps", "vital"])
    func `a filter on device and day reads one partition by its index`(view: String) throws {
        let plan = try plan(
            """
            SELECT * FROM analytics.\(view) WHERE device_id = 'device-7'
            AND time >= '2026-02-10' AND time < '2026-02-11'
            """)
        #expect(plan.contains("\(view)_20260210"))
        #expect(!plan.contains("\(view)_20260209") && !plan.contains("\(view)_20260211"))
        #expect(plan.contains("device_key_t_idx"), "\(plan)")
        #expect(!plan.contains("Seq Scan on \(view)_"), "\(plan)")
    }

    @Test func `the latest position needs no scan of a day`() throws {
        let rows = try connection.query(
            """
            SELECT device_id, time, latitude FROM analytics.latest_position
            WHERE device_id IN ('device-3', 'device-150')
            """)
        #expect(rows.count == 1)
        #expect(rows.string(0, 0) == "device-3")
        #expect(rows.float64(0, 2) == 3)
        let analysed = try connection.query(
            """
            EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
            SELECT * FROM analytics.latest_position WHERE device_id = 'device-3'
            """)
        let lines = (0..<analysed.count).map { analysed.string($0, 0) }
        let days = lines.filter { $0.contains("gps_202602") }
        #expect(days.count == 20)
        #expect(days.filter { !$0.contains("never executed") }.count == 1, "\(lines)")
    }

    @Test func `metrics have names, and unknown codes are included`() throws {
        let rows = try connection.query(
            """
            SELECT metric, unit, count(*) FROM analytics.vital GROUP BY 1, 2 ORDER BY 1 NULLS LAST
            """)
        #expect(rows.count == 2)
        #expect(rows.string(0, 0) == "heart_rate" && rows.string(0, 1) == "bpm")
        #expect(rows.isNull(1, 0))
        #expect(rows.int64(0, 2) == rows.int64(1, 2))
    }

    @Test func `events, devices and the quarantine have readable values`() throws {
        let event = try connection.query("SELECT label, value, metadata FROM analytics.event")
        #expect(event.string(0, 0) == "motion_state" && event.string(0, 2) == #"{"a": 1}"#)
        let devices = try connection.query(
            "SELECT count(*) FROM analytics.device WHERE readings = 40")
        #expect(devices.int64(0, 0) == 200)
        let quarantine = try connection.query("SELECT reason, body FROM analytics.quarantine")
        #expect(quarantine.string(0, 0) == "type_missing")
        #expect(quarantine.string(0, 1) == #"{"t": "\303\274"}"#)
    }

    @Test func `a bad reading that repeats is one row`() throws {
        let insert = """
            INSERT INTO sluice.quarantine
                (device_key, device_id, reason, body, reading_index, api_key)
            VALUES (1, 'device-1', 'other', '{"t": "ü"}', 9, 'default') ON CONFLICT DO NOTHING
            """
        #expect(try connection.execute(insert) == 0)
        let rows = try connection.query("SELECT reason FROM analytics.quarantine")
        #expect(rows.count == 1 && rows.string(0, 0) == "type_missing")
    }

    @Test func `every column of every view has a comment`() throws {
        let rows = try connection.query(
            """
            SELECT c.relname || '.' || a.attname FROM pg_class c
            JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
            WHERE c.relnamespace = 'analytics'::regnamespace
                AND col_description(c.oid, a.attnum) IS NULL
            """)
        #expect((0..<rows.count).map { rows.string($0, 0) } == [])
    }

    @Test func `the reader role reads the views and nothing else`() throws {
        try connection.execute("SET ROLE sluice_reader")
        for view in ["gps", "vital", "event", "device", "latest_position", "quarantine"] {
            try connection.execute("SELECT * FROM analytics.\(view) LIMIT 1")
        }
        for statement in [
            "SELECT * FROM sluice.gps", "SELECT * FROM sluice.api_key",
            "SELECT * FROM sluice_partitions.gps_20260210", "DELETE FROM analytics.device",
            "UPDATE analytics.quarantine SET reason = ''", "SELECT sluice.grant_reader('public')",
            "CREATE TABLE analytics.mine ()",
        ] {
            let error = #expect(throws: PostgresError.self) { try connection.execute(statement) }
            #expect(error?.sqlState == "42501" || error?.sqlState == "55000", "\(statement)")
        }
        // Views of a later migration are readable without another grant.
        try connection.execute("RESET ROLE; CREATE VIEW analytics.later AS SELECT 1 AS one")
        try connection.execute("SET ROLE sluice_reader; SELECT one FROM analytics.later")
    }
}
