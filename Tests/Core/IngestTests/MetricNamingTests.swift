import Auth
import Ingest
import Postgres
import Readings
import Scanner
import SpoolLog
import TestSupport
import Testing

/// Metrics by name on their way to the lanes.
@Suite(.timeLimit(.minutes(10))) struct MetricNamingTests {
    private static func vital(_ second: Int, _ name: String) -> String {
        #"{"type":"vital","t":"2026-02-10T10:00:\#(second < 10 ? "0" : "")\#(second)Z","#
            + #""metric":"\#(name)","val":\#(second)}"#
    }

    private func post(
        _ body: String, to naming: MetricNaming, key: String = "test"
    ) async throws -> BatchOutcome {
        let batch = try Bench.scan(body)
        let answers = Answers<BatchCounts>()
        return await answers.wait(for: 1) {
            let offer = naming.offer(
                batch, key: KeyID(name: key, id: nil), ticket: 1, replyTo: answers)
            naming.dispatch()
            return offer
        }
    }

    @Test func `a name has one code, also for other processes and under another name`() async throws
    {
        let bench = try await Bench.fresh("metrics")
        let naming = MetricNaming(bench.ingestor, database: Database(bench.settings))
        let body = Bodies.batch(
            "d",
            [Self.vital(0, "heart_rate"), Self.vital(1, "b"), Self.vital(2, "a"), Bodies.vital(3)])
        #expect(try await post(body, to: naming) == .stored(4))
        #expect(try await post(body, to: naming) == .stored(0, duplicates: 4))
        let other = MetricNaming(bench.ingestor, database: Database(bench.settings))
        _ = try bench.query("UPDATE sluice.metric SET name = 'c' WHERE code = 1000 RETURNING name")
        #expect(try await post(body, to: other) == .stored(0, duplicates: 4))
        #expect(
            try bench.query(
                "SELECT code || ' ' || metric FROM analytics.vital ORDER BY code, time")
                == ["1 heart_rate", "1 heart_rate", "1000 c", "1001 b"])
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
        let naming = MetricNaming(bench.ingestor, database: Database(bench.settings))
        let body = Bodies.batch(
            "d",
            [Self.vital(0, "old1"), Self.vital(1, "x"), Self.vital(2, "y"), Self.vital(3, "z")])
        #expect(
            try await post(body, to: naming, key: "greedy")
                == .stored(2, refused: LaneRefusals(.metricTooMany, 2)))
        #expect(
            try bench.query("SELECT convert_from(body, 'UTF8') FROM sluice.quarantine ORDER BY 1")
                .allSatisfy { $0.contains(#""metric":""#) })
        // Another key may bring them.
        #expect(
            try await post(body, to: naming, key: "modest") == .stored(2, duplicates: 2))
        await bench.finish()
    }

    @Test func `without the database, known names are spooled and others turned away`() async throws
    {
        let path = SpoolTests.directory()
        let bench = await Bench(
            SpoolTests.nowhere, SpoolTests.hasty, spool: try SpoolTests.spool(path))
        let settings = try TestCluster.shared.freshDatabase(named: "metrics_away")
        let naming = MetricNaming(bench.ingestor, database: Database(settings))
        #expect(try await post(Bodies.batch("d", [Self.vital(0, "a")]), to: naming) == .spooled)
        let away = MetricNaming(bench.ingestor, database: Database(SpoolTests.nowhere))
        guard
            case .unavailable = try await post(
                Bodies.batch("d", [Self.vital(0, "a")]), to: away)
        else {
            Issue.record("taken")
            return
        }
        await bench.finish()
        let second = await Bench(settings, SpoolTests.hasty, spool: try SpoolTests.spool(path))
        try await SpoolTests.eventually { second.ingestor.spoolFigures?.records == 0 }
        #expect(try second.query("SELECT metric FROM analytics.vital") == ["a"])
        await second.finish()
    }
}
