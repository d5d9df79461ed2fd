import Foundation
import Ingest
import Postgres
import Readings
import TestSupport
import Testing

/// Hourly sums, together with the raw rows of due hours, compared with a GROUP BY over all rows.
@Suite(.timeLimit(.minutes(10))) struct RollupTests {
    /// Rows in which views and readings differ. Sums of doubles may differ by rounding.
    static let differences = """
        WITH vital_raw AS (
            SELECT device_key, to_timestamp(floor(extract(epoch FROM t) / 3600) * 3600) AS hour,
                code, count(*) AS readings, min(val) AS low, max(val) AS high, sum(val) AS total,
                (array_agg(val ORDER BY t DESC, val DESC))[1] AS last_val
            FROM sluice.vital GROUP BY 1, 2, 3
        ), ways AS (
            SELECT device_key, t, sluice.metres_between(
                lag(lat) OVER way, lag(lon) OVER way, lat, lon) AS metres
            FROM sluice.gps WINDOW way AS (PARTITION BY device_key ORDER BY t, lat, lon)
        ), gps_raw AS (
            SELECT device_key, to_timestamp(floor(extract(epoch FROM t) / 3600) * 3600) AS hour,
                count(*) AS readings, coalesce(sum(metres), 0) AS metres
            FROM ways GROUP BY 1, 2
        ), minute_raw AS (
            SELECT d.device_id, d.user_id,
                to_timestamp(floor(extract(epoch FROM w.t) / 60) * 60) AS time,
                count(*) AS positions, coalesce(sum(w.metres), 0) AS metres
            FROM ways w JOIN sluice.device d USING (device_key) GROUP BY 1, 2, 3
        )
        SELECT format('vital %s %s %s', hour, r, k)
        FROM vital_raw r FULL JOIN sluice.vital_hours k USING (device_key, hour, code)
        WHERE (r.readings, r.low, r.high, r.last_val)
                IS DISTINCT FROM (k.readings, k.low, k.high, k.last_val)
            OR abs(r.total - k.total) > 1e-9 * (1 + abs(r.total))
        UNION ALL
        SELECT format('gps %s %s %s', hour, r, k)
        FROM gps_raw r FULL JOIN sluice.gps_hours k USING (device_key, hour)
        WHERE r.readings IS DISTINCT FROM k.readings OR abs(r.metres - k.metres) > 1e-6
        UNION ALL
        SELECT format('minute %s %s %s', time, r, k)
        FROM minute_raw r FULL JOIN analytics.distance_minute k USING (device_id, user_id, time)
        WHERE r.positions IS DISTINCT FROM k.positions OR abs(r.metres - k.metres) > 1e-6
        """

    static func differences(_ bench: Bench) throws -> [String] {
        try bench.query("SELECT * FROM (\(differences)) d LIMIT 5")
    }

    /// Readings around midnight in any order, some with the same time and other values.
    static func readings(_ random: inout Dice) -> [String] {
        // 2026-02-11T00:00:00Z is second 68 000 of `Bodies.time`.
        let start = 67_700 + Int.random(in: 0..<60, using: &random) * 10
        var readings = (0..<Int.random(in: 1...25, using: &random)).map { _ in
            let second = start + Int.random(in: 0..<150, using: &random)
            if Bool.random(using: &random) {
                let value = Double(Int.random(in: -50...50, using: &random)) / 8
                let code = Int.random(in: 1...3, using: &random)
                return Bodies.vital(second, value, code: code)
            }
            return Bodies.gps(second, Double(Int.random(in: 0...40, using: &random)) / 1024)
        }
        // Devices mostly send in time order.
        if Int.random(in: 0..<3, using: &random) > 0 { readings.sort() }
        return readings
    }

    /// Sums all due hours of devices that no transaction has locked.
    static func sum(_ bench: Bench) throws {
        let connection = try bench.connection()
        defer { connection.close() }
        var last: Int64? = Int64.min
        while let after = last {
            var parameters = Parameters()
            parameters.append(int8: after)
            let rows = try connection.query("SELECT sluice.sum_hours($1)", parameters)
            last = rows.isNull(0, 0) ? nil : rows.int64(0, 0)
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `rollups are what a GROUP BY says`(seed: UInt64) async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "rollups")
        let benches = [await Bench(settings), await Bench(settings)]
        var random = Dice(seed: seed)
        var sent: [String] = []
        for round in 0..<12 {
            var bodies: [String] = []
            for _ in 0..<8 {
                let device = "d\(Int.random(in: 0..<3, using: &random))"
                // A body that is sent again; all of it may be stored already.
                if let old = sent.randomElement(using: &random),
                    Int.random(in: 0..<4, using: &random) == 0
                {
                    bodies.append(old)
                } else {
                    bodies.append(Bodies.batch(device, Self.readings(&random)))
                }
            }
            sent += bodies
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, body) in bodies.enumerated() {
                    group.addTask {
                        let outcome = try await benches[number % 2].post(body)
                        guard case .committed = outcome else {
                            Issue.record("not committed: \(outcome)")
                            return
                        }
                    }
                }
                // Two sums at a time, beside groups of the same devices.
                for bench in benches where round % 2 == 1 {
                    group.addTask { try Self.sum(bench) }
                }
                try await group.waitForAll()
            }
            #expect(try Self.differences(benches[0]) == [])
        }
        try Self.sum(benches[0])
        #expect(try benches[0].count("sluice.rollup_due") == 0)
        for table in ["vital_rollup", "gps_rollup"] {
            #expect(try benches[0].count("sluice.\(table)") > 0)
        }
        #expect(try Self.differences(benches[0]) == [])
        for bench in benches { await bench.finish() }
    }

    @Test func `a late reading is counted, whether its hour is summed or not`() async throws {
        let bench = try await Bench.fresh("late")
        let body = Bodies.batch("d", [Bodies.vital(100, 5), Bodies.gps(100, 1)])
        #expect(try await bench.post(body) == .stored(2))
        #expect(try Self.differences(bench) == [])
        try Self.sum(bench)
        #expect(try bench.count("sluice.rollup_due") == 0)
        let late = Bodies.batch("d", [Bodies.vital(50, 9), Bodies.gps(50, 2)])
        #expect(try await bench.post(late) == .stored(2))
        #expect(try bench.count("sluice.rollup_due") == 2)
        #expect(try Self.differences(bench) == [])
        try Self.sum(bench)
        #expect(try bench.count("sluice.vital_rollup") == 1)
        #expect(try Self.differences(bench) == [])
        // A duplicate makes no hour due.
        #expect(try await bench.post(late) == .stored(0, duplicates: 2))
        #expect(try bench.count("sluice.rollup_due") == 0)
        await bench.finish()
    }

    @Test func `an hour is noted by its first readings, and again after it was summed`()
        async throws
    {
        let bench = try await Bench.fresh("noted")
        func notes(after seconds: Int...) async throws -> Int {
            let readings = seconds.flatMap { [Bodies.vital($0, 5), Bodies.gps($0, 1)] }
            #expect(
                try await bench.post(Bodies.batch("d", readings)) == .stored(readings.count))
            return try bench.count("sluice.rollup_due")
        }
        #expect(try await notes(after: 100) == 2)
        // While they are hidden, it shows who makes notes.
        try bench.connection().execute(
            "CREATE TABLE hidden AS SELECT * FROM sluice.rollup_due; DELETE FROM sluice.rollup_due")
        #expect(try await notes(after: 101, 102) == 0)
        #expect(try await notes(after: 50) == 0)
        #expect(try await notes(after: 103, 3700) == 2)
        #expect(try await notes(after: 104) == 4)
        try bench.connection().execute(
            "INSERT INTO sluice.rollup_due SELECT * FROM hidden ON CONFLICT DO NOTHING")
        #expect(try Self.differences(bench) == [])
        try Self.sum(bench)
        #expect(try await notes(after: 3701) == 2)
        #expect(try await notes(after: 3702) == 2)
        #expect(try Self.differences(bench) == [])
        try Self.sum(bench)
        #expect(try Self.differences(bench) == [])
        await bench.finish()
    }

    @Test func `a late position changes the distance to the next one, hours later`() async throws {
        let bench = try await Bench.fresh("way")
        let hour = 3600
        let body = Bodies.batch(
            "d", [Bodies.gps(0, 1), Bodies.gps(2 * hour, 1), Bodies.gps(5 * hour, 1)])
        #expect(try await bench.post(body) == .stored(3))
        try Self.sum(bench)
        #expect(try Self.differences(bench) == [])
        // One before the second position, one before the third.
        let late = Bodies.batch("d", [Bodies.gps(hour, 2), Bodies.gps(4 * hour, 2)])
        #expect(try await bench.post(late) == .stored(2))
        #expect(try bench.count("sluice.rollup_due") == 4)
        #expect(try Self.differences(bench) == [])
        try Self.sum(bench)
        #expect(try bench.count("sluice.gps_rollup") == 5)
        #expect(try Self.differences(bench) == [])
        await bench.finish()
    }

    @Test func `sums that are not committed have no effect`() async throws {
        let bench = try await Bench.fresh("crash")
        let readings = (0..<10).flatMap { [Bodies.vital($0 * 900), Bodies.gps($0 * 900)] }
        #expect(try await bench.post(Bodies.batch("d", readings)) == .stored(20))
        let due = try bench.count("sluice.rollup_due")
        let connection = try bench.connection()
        try connection.execute("BEGIN; SELECT sluice.sum_hours()")
        let differences = try connection.query("SELECT count(*) FROM (\(Self.differences)) d")
        #expect(differences.int64(0, 0) == 0)
        #expect(try Self.differences(bench) == [])
        // As when its process ends.
        connection.close()
        try Self.sum(bench)
        #expect(due > 4)
        #expect(try bench.count("sluice.rollup_due") == 0)
        #expect(try Self.differences(bench) == [])
        await bench.finish()
    }

    @Test func `a reading that is stored while its hour is summed makes it due again`() async throws
    {
        let bench = try await Bench.fresh("beside")
        #expect(try await bench.post(Bodies.batch("d", [Bodies.vital(0)])) == .stored(1))
        let connection = try bench.connection()
        try connection.execute("BEGIN; SELECT sluice.sum_hours()")
        async let outcome = bench.post(Bodies.batch("d", [Bodies.vital(1)]))
        try await bench.waitForLocks(1)
        try connection.execute("COMMIT")
        #expect(try await outcome == .stored(1))
        #expect(try bench.count("sluice.rollup_due") == 1)
        #expect(try Self.differences(bench) == [])
        connection.close()
        await bench.finish()
    }

    @Test func `a device whose readings are being stored is left for later`() async throws {
        let bench = try await Bench.fresh("busy")
        #expect(try await bench.post(Bodies.batch("d", [Bodies.vital(0)])) == .stored(1))
        let connection = try bench.connection()
        try connection.execute("BEGIN; SELECT FROM sluice.device_state FOR UPDATE")
        try Self.sum(bench)
        #expect(try bench.count("sluice.rollup_due") == 1)
        try connection.execute("ROLLBACK")
        try Self.sum(bench)
        #expect(try bench.count("sluice.rollup_due") == 0)
        connection.close()
        await bench.finish()
    }

    @Test func `a rebuild corrects rows that were changed by hand`() async throws {
        let bench = try await Bench.fresh("rebuild")
        let readings = (0..<10).flatMap { [Bodies.vital($0 * 900), Bodies.gps($0 * 900)] }
        #expect(try await bench.post(Bodies.batch("d", readings)) == .stored(20))
        try Self.sum(bench)
        _ = try bench.query(
            "DELETE FROM sluice.vital WHERE t < '\(Bodies.time(3000))' RETURNING t::text")
        #expect(try Self.differences(bench) != [])
        _ = try bench.query(
            "SELECT sluice.rebuild_rollups('\(Bodies.time(0).prefix(10))')::text")
        #expect(try Self.differences(bench) == [])
        try Self.sum(bench)
        #expect(try Self.differences(bench) == [])
        await bench.finish()
    }

    @Test func `the sums of a day that left stay as they are`() async throws {
        let bench = try await Bench.fresh("left")
        let day = String(Bodies.time(0).prefix(10))
        #expect(
            try await bench.post(Bodies.batch("d", [Bodies.vital(0), Bodies.gps(0)])) == .stored(2))
        try Self.sum(bench)
        try bench.connection().execute(
            """
            INSERT INTO sluice.archive (kind, day, part, state)
            VALUES ('gps', '\(day)', 1, 'leaving'), ('vital', '\(day)', 1, 'gone');
            """)
        try bench.connection().execute(
            """
            DELETE FROM sluice.vital;
            DELETE FROM sluice.gps;
            INSERT INTO sluice.rollup_due SELECT device_key, hour, 'gps' FROM sluice.gps_rollup;
            INSERT INTO sluice.rollup_due SELECT device_key, hour, 'vital' FROM sluice.vital_rollup;
            """)
        try Self.sum(bench)
        #expect(try bench.query("SELECT kind FROM sluice.rollup_due") == ["gps"])
        #expect(try bench.count("sluice.vital_rollup") == 1)
        #expect(try bench.count("sluice.gps_rollup") == 1)
        await bench.finish()
    }

    @Test func `distances are those of the earth`() async throws {
        let bench = try await Bench.fresh("earth")
        func fix(_ second: Int, _ latitude: Double, _ longitude: Double) -> String {
            "{\"t\":\"\(Bodies.time(second))\",\"type\":\"gps\",\"lat\":\(latitude),"
                + "\"lon\":\(longitude)}"
        }
        // A quarter of the equator, then over the pole to the other side of the earth.
        _ = try await bench.post(Bodies.batch("d", [fix(0, 0, 0)]))
        _ = try await bench.post(Bodies.batch("d", [fix(60, 0, 90), fix(120, 0, -90)]))
        // Berlin to Paris.
        _ = try await bench.post(
            Bodies.batch("e", [fix(0, 52.52, 13.405), fix(60, 48.8566, 2.3522)]))
        let metres = try bench.query(
            "SELECT round(metres)::text FROM analytics.distance_minute ORDER BY device_id, time")
        #expect(metres == ["0", "10007557", "20015114", "0", "877465"])
        await bench.finish()
    }

    @Test func `a batch of many hours and codes in any order`() async throws {
        let bench = try await Bench.fresh("many")
        var random = Dice(seed: 5)
        let readings = (0..<400).map { number in
            Bodies.vital(number % 40 * 3600 + number / 40, Double(number), code: number % 7)
        }.shuffled(using: &random)
        #expect(try await bench.post(Bodies.batch("d", readings)) == .stored(400))
        #expect(try bench.count("sluice.rollup_due") == 40)
        #expect(try Self.differences(bench) == [])
        try Self.sum(bench)
        #expect(try Self.differences(bench) == [])
        #expect(try bench.count("sluice.vital_rollup") == 40 * 7)
        await bench.finish()
    }
}
