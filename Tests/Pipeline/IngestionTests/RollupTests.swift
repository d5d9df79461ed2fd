import Foundation
import Ingestion
import Postgres
import TestSupport
import Testing

/// The sums by minute against what a GROUP BY over the rows says.
@Suite(.timeLimit(.minutes(10))) struct RollupTests {
    /// Rows in which rollups and readings differ; sums of doubles may differ by their rounding.
    static let differences = """
        WITH vital_raw AS (
            SELECT device_key, to_timestamp(floor(extract(epoch FROM t) / 60) * 60) AS minute, code,
                count(*) AS readings, min(val) AS low, max(val) AS high, sum(val) AS total,
                (array_agg(val ORDER BY t DESC, val DESC))[1] AS last_value
            FROM sluice.vital GROUP BY 1, 2, 3
        ), vital_kept AS (
            SELECT device_key, minute, code, sum(readings) AS readings, min(low) AS low,
                max(high) AS high, sum(total) AS total,
                (array_agg(last_val ORDER BY last_t DESC, last_val DESC))[1] AS last_value
            FROM sluice.vital_part GROUP BY 1, 2, 3
        ), ways AS (
            SELECT device_key, t, sluice.metres_between(
                lag(lat) OVER way, lag(lon) OVER way, lat, lon) AS metres
            FROM sluice.gps WINDOW way AS (PARTITION BY device_key ORDER BY t, lat, lon)
        ), gps_raw AS (
            SELECT device_key, to_timestamp(floor(extract(epoch FROM t) / 60) * 60) AS minute,
                count(*) AS readings, coalesce(sum(metres), 0) AS metres
            FROM ways GROUP BY 1, 2
        ), gps_kept AS (
            SELECT device_key, minute, sum(readings) AS readings, sum(metres) AS metres
            FROM sluice.gps_rollup GROUP BY 1, 2
        )
        SELECT format('vital %s %s %s', minute, r, k)
        FROM vital_raw r FULL JOIN vital_kept k USING (device_key, minute, code)
        WHERE (r.readings, r.low, r.high, r.last_value)
                IS DISTINCT FROM (k.readings, k.low, k.high, k.last_value)
            OR abs(r.total - k.total) > 1e-9 * (1 + abs(r.total))
        UNION ALL
        SELECT format('gps %s %s %s', minute, r, k)
        FROM gps_raw r FULL JOIN gps_kept k USING (device_key, minute)
        WHERE r.readings IS DISTINCT FROM k.readings OR abs(r.metres - k.metres) > 1e-6
        """

    static func differences(_ bench: Bench) throws -> [String] {
        try bench.query("SELECT * FROM (\(differences)) d LIMIT 5")
    }

    /// Readings around midnight, some of one time with other values, in any order.
    static func readings(_ random: inout Dice) -> [String] {
        // 2026-02-11T00:00:00Z is second 68 000 of Bodies.time.
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
        // As devices do it, mostly.
        if Int.random(in: 0..<3, using: &random) > 0 { readings.sort() }
        return readings
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
                // A resent body, a part of which may be new to no one.
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
                if round % 4 == 3 {
                    group.addTask {
                        for day in ["2026-02-10", "2026-02-11"] {
                            _ = try benches[0].query(
                                "SELECT sluice.compact_rollups('\(day)')::text")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try Self.differences(benches[0]) == [])
        }
        for table in ["vital_rollup", "gps_rollup"] {
            #expect(try benches[0].count("sluice.\(table)") > 0)
        }
        for bench in benches { await bench.finish() }
    }

    @Test func `compacted, a minute is one row and means the same`() async throws {
        let bench = try await Bench.fresh("compact")
        for second in 0..<20 {
            let readings = [Bodies.vital(second * 5, Double(second)), Bodies.gps(second * 5)]
            _ = try await bench.post(Bodies.batch("d\(second % 2)", readings))
        }
        let before = try bench.query(Self.views)
        #expect(try bench.count("sluice.vital_rollup") == 20)
        let day = String(Bodies.time(0).prefix(10))
        // One device at a time.
        var last = "-9223372036854775808"
        var rounds = 0
        while last != "NULL", rounds < 5 {
            last = try bench.query("SELECT sluice.compact_rollups('\(day)', \(last), 1)::text")[0]
            rounds += 1
        }
        #expect(rounds == 3)
        let minutes = try bench.query(
            "SELECT count(DISTINCT (device_key, minute))::text FROM sluice.vital_rollup")[0]
        #expect(try bench.count("sluice.vital_rollup") == Int(minutes))
        #expect(try bench.count("sluice.gps_rollup") == Int(minutes))
        #expect(try bench.query(Self.views) == before)
        #expect(try Self.differences(bench) == [])
        await bench.finish()
    }

    private static let views = """
        SELECT v::text FROM analytics.vital_minute v UNION ALL
        SELECT v::text FROM analytics.vital_hour v UNION ALL
        SELECT v::text FROM analytics.distance_minute v UNION ALL
        SELECT v::text FROM analytics.distance_hour v ORDER BY 1
        """

    @Test func `switched off they stay behind, and a rebuild brings them back`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "switch")
        var configuration = Bench.unhurried
        let first = await Bench(settings, configuration)
        _ = try await first.post(Bodies.batch("d", (0..<10).map { Bodies.gps($0 * 9, 1) }))
        await first.finish()
        configuration.keepsRollups = false
        let off = await Bench(settings, configuration)
        _ = try await off.post(
            Bodies.batch("d", (10..<20).flatMap { [Bodies.gps($0 * 9, 2), Bodies.vital($0 * 9)] }))
        await off.finish()
        #expect(try Self.differences(off) != [])

        let again = await Bench(settings)
        // The way from the position that nobody has noted is found in the rows.
        _ = try await again.post(Bodies.batch("d", (20..<30).map { Bodies.gps($0 * 9, 3) }))
        let isFound = try again.query(
            """
            SELECT bool_or(metres > 100000)::text FROM analytics.distance_minute
            WHERE time >= sluice.minute_of('\(Bodies.time(180))')
            """)
        #expect(isFound == ["true"])
        #expect(try Self.differences(again) != [])
        _ = try again.query(
            "SELECT sluice.rebuild_rollups('\(Bodies.time(0).prefix(10))')::text")
        #expect(try Self.differences(again) == [])
        await again.finish()
    }

    @Test func `distances are those of the earth`() async throws {
        let bench = try await Bench.fresh("earth")
        func fix(_ second: Int, _ latitude: Double, _ longitude: Double) -> String {
            "{\"t\":\"\(Bodies.time(second))\",\"type\":\"gps\",\"lat\":\(latitude),"
                + "\"lon\":\(longitude)}"
        }
        // A quarter of the equator; then over the pole to the other side of the earth.
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

    /// More minutes and codes in one batch than are looked through one by one.
    @Test func `a batch of many minutes and codes in any order`() async throws {
        let bench = try await Bench.fresh("many")
        var random = Dice(seed: 5)
        let readings = (0..<400).map { number in
            Bodies.vital(number % 40 * 60 + number / 40, Double(number), code: number % 7)
        }.shuffled(using: &random)
        #expect(try await bench.post(Bodies.batch("d", readings)) == .stored(400))
        #expect(try Self.differences(bench) == [])
        #expect(try bench.count("sluice.vital_rollup") == 40)
        #expect(try bench.count("sluice.vital_part") == 40 * 7)
        await bench.finish()
    }

    @Test func `a minute of more codes than a row takes`() async throws {
        let bench = try await Bench.fresh("codes")
        // From a minute's beginning on.
        let readings = (0..<200).map { Bodies.vital(20 + $0 % 40, Double($0), code: $0 / 2) }
        #expect(try await bench.post(Bodies.batch("d", readings)) == .stored(200))
        #expect(try Self.differences(bench) == [])
        #expect(try bench.count("sluice.vital_part") == 100)
        let sizes = try bench.query(
            "SELECT pg_column_size(r)::text FROM sluice.vital_rollup r"
        ).compactMap { Int($0) }
        #expect(sizes.count == 4 && sizes.allSatisfy { $0 < 2000 }, "\(sizes)")
        let day = String(Bodies.time(0).prefix(10))
        let before = try bench.query(Self.views)
        _ = try bench.query("SELECT sluice.compact_rollups('\(day)')::text")
        #expect(try bench.count("sluice.vital_rollup") == 1)
        #expect(try bench.query(Self.views) == before)
        await bench.finish()
    }

    /// Binaries before step 16 write one row for each code.
    @Test func `parts of both forms are one minute`() async throws {
        let bench = try await Bench.fresh("forms")
        let readings = (0..<60).map { Bodies.vital(20 + $0 * 4, Double($0), code: $0 % 3) }
        _ = try await bench.post(Bodies.batch("d", readings))
        let before = try bench.query(Self.views)
        #expect(try bench.count("sluice.vital_rollup") == 4)
        // Every other minute as they would have written it.
        _ = try bench.query(
            """
            WITH gone AS (
                DELETE FROM sluice.vital_rollup
                WHERE extract(minute FROM minute)::integer % 2 = 0
                RETURNING device_key, minute
            ), rows AS (
                INSERT INTO sluice.vital_rollup (device_key, minute, code, readings, low, high,
                    total, last_t, last_val)
                SELECT device_key, sluice.minute_of(t), code, 1, val, val, val, t, val
                FROM sluice.vital
                WHERE sluice.minute_of(t) IN (SELECT minute FROM gone) RETURNING 1
            )
            SELECT count(*)::text FROM rows
            """)
        #expect(try bench.count("sluice.vital_rollup") > 20)
        #expect(try bench.query(Self.views) == before)
        #expect(try Self.differences(bench) == [])
        let day = String(Bodies.time(0).prefix(10))
        _ = try bench.query("SELECT sluice.compact_rollups('\(day)')::text")
        #expect(try bench.count("sluice.vital_rollup") == 4)
        #expect(try bench.query(Self.views) == before)
        await bench.finish()
    }
}
