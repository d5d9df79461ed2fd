import Ingest
import Postgres
import Readings
import Scanner
import SpoolLog
import TestSupport
import Testing

/// Metrics by name, which get their codes when a group is written.
@Suite(.timeLimit(.minutes(10))) struct MetricNamingTests {
    private static func vital(_ second: Int, _ name: String) -> String {
        #"{"type":"vital","t":"2026-02-10T10:00:\#(second < 10 ? "0" : "")\#(second)Z","#
            + #""metric":"\#(name)","val":\#(second)}"#
    }

    private static let codes =
        "SELECT code || ' ' || metric FROM analytics.vital ORDER BY code, time"

    @Test func `a name has one code, also for other processes and under another name`() async throws
    {
        let bench = try await Bench.fresh("metrics")
        let body = Bodies.batch(
            "d",
            [Self.vital(0, "heart_rate"), Self.vital(1, "b"), Self.vital(2, "a"), Bodies.vital(3)])
        #expect(try await bench.post(body) == .stored(4))
        #expect(try await bench.post(body) == .stored(0, duplicates: 4))
        let other = await Bench(bench.settings)
        _ = try bench.query("UPDATE sluice.metric SET name = 'c' WHERE code = 1000 RETURNING name")
        #expect(try await other.post(body) == .stored(0, duplicates: 4))
        #expect(
            try bench.query(Self.codes) == ["1 heart_rate", "1 heart_rate", "1000 c", "1001 b"])
        await other.finish()
        await bench.finish()
    }

    @Test func `two processes that name the same metrics at once give each one code`() async throws
    {
        let bench = try await Bench.fresh("metrics_race")
        let other = await Bench(bench.settings)
        let names = (0..<40).map { "m\($0)" }
        func bodies(_ names: [String], from device: Int) -> [String] {
            names.enumerated().map { place, name in
                Bodies.batch("d\(device + place)", [Self.vital(place % 60, name)])
            }
        }
        async let first = bench.post(together: bodies(names, from: 0), [])
        async let second = other.post(together: bodies(names.reversed(), from: 100), [])
        for outcome in try await first.batches + second.batches { #expect(outcome == .stored(1)) }
        #expect(
            try bench.query(
                """
                SELECT metric FROM analytics.vital GROUP BY metric
                HAVING count(*) = 2 AND count(DISTINCT code) = 1
                """
            ).count == names.count)
        await other.finish()
        await bench.finish()
    }

    @Test func `a key brings a bounded number of names`() async throws {
        let bench = try await Bench.fresh("metrics_max")
        _ = try bench.query(
            """
            SELECT count(*)::text FROM sluice.name_metrics(
                array(SELECT 'old' || i FROM generate_series(1, \(MetricName.ofKeyMax - 1)) i),
                'greedy', \(MetricName.ofKeyMax))
            """)
        let body = Bodies.batch(
            "d",
            [Self.vital(0, "old1"), Self.vital(1, "x"), Self.vital(2, "y"), Self.vital(3, "z")])
        #expect(
            try await bench.post(body, key: "greedy")
                == .stored(2, refused: LaneRefusals(.metricTooMany, 2)))
        #expect(
            try bench.query("SELECT convert_from(body, 'UTF8') FROM sluice.quarantine ORDER BY 1")
                .allSatisfy { $0.contains(#""metric":""#) })
        // Another key may bring them.
        #expect(try await bench.post(body, key: "modest") == .stored(2, duplicates: 2))
        await bench.finish()
    }

    /// Here an operator's constraint refuses it.
    @Test func `a name that gets no code now delays its own device only`() async throws {
        let path = SpoolTests.directory()
        let settings = try TestCluster.shared.freshDatabase(named: "metrics_refused")
        let bench = await Bench(settings, SpoolTests.hasty, spool: try SpoolTests.spool(path))
        try Bench.run(
            "ALTER TABLE sluice.metric_name ADD CHECK (name <> 'bad') NOT VALID", on: settings)
        let outcomes = try await bench.post(
            together: [
                Bodies.batch("d", [Self.vital(0, "bad")]), Bodies.batch("e", [Bodies.vital(0)]),
                Bodies.batch("f", [Self.vital(0, "good")]),
            ], []
        ).batches
        #expect(outcomes == [.spooled, .stored(1), .stored(1)])
        try Bench.run(
            "ALTER TABLE sluice.metric_name DROP CONSTRAINT metric_name_name_check", on: settings)
        try await SpoolTests.eventually { bench.ingestor.spoolFigures?.records == 0 }
        #expect(try bench.count("sluice.vital") == 3)
        #expect(try bench.count("sluice.quarantine") == 0)
        await bench.finish()
    }

    @Test func `without the database, names wait in the spool and get their codes at the replay`()
        async throws
    {
        let path = SpoolTests.directory()
        let bench = await Bench(
            SpoolTests.nowhere, SpoolTests.hasty, spool: try SpoolTests.spool(path))
        let body = Bodies.batch("d", [Self.vital(0, "lung_capacity"), Bodies.vital(1)])
        #expect(try await bench.post(body) == .spooled)
        #expect(try await bench.post(body) == .spooled)
        await bench.finish()
        let settings = try TestCluster.shared.freshDatabase(named: "metrics_away")
        let second = await Bench(settings, SpoolTests.hasty, spool: try SpoolTests.spool(path))
        try await SpoolTests.eventually { second.ingestor.spoolFigures?.records == 0 }
        #expect(try second.query(Self.codes) == ["1 heart_rate", "1000 lung_capacity"])
        #expect(try await second.post(body) == .stored(0, duplicates: 2))
        await second.finish()
    }
}
