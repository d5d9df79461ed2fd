import Foundation
import Postgres
import Readings
import SpoolLog
import TestSupport
import Testing

@testable import Ingest

/// Batches that reach far back, on a database without partitions for their days.
@Suite(.timeLimit(.minutes(10))) struct HistoryTests {
    /// One reading a day, newest first.
    private static func history(_ device: String, days: Int, from day: Int = 0) -> String {
        Bodies.batch(device, (day..<day + days).map { Bodies.vital(-86_400 * $0) })
    }

    private static func configuration() -> IngestionConfiguration {
        var configuration = SpoolTests.hasty
        configuration.lanes = 1
        configuration.attemptMax = .seconds(60)
        configuration.lockWaitMax = .seconds(3)
        configuration.daysPerMinuteMax = 100_000
        return configuration
    }

    @Test func `more than a year in one batch is stored in the end and delays nobody`()
        async throws
    {
        let path = SpoolTests.directory()
        let bench = await Bench(
            try TestCluster.shared.freshDatabase(named: "history"), Self.configuration(),
            spool: try SpoolTests.spool(path))
        try await bench.store(Bodies.batch("e", [Bodies.vital(0)]))
        // While another session holds this lock, no partition can be made.
        let other = try bench.connection()
        try other.execute("BEGIN; LOCK TABLE sluice.day_turn IN EXCLUSIVE MODE")
        let history = try await bench.post(Self.history("d", days: 400))
        #expect(history == .spooled)
        // On the same lane.
        for second in 1...5 { try await bench.store(Bodies.batch("e", [Bodies.vital(second)])) }
        #expect(try bench.count("sluice.vital") == 6)
        try other.execute("ROLLBACK")
        other.close()
        try await SpoolTests.eventually { bench.ingestor.spoolFigures?.records == 0 }
        #expect(
            try bench.query("SELECT count(DISTINCT (device_key, t))::text FROM sluice.vital")
                == ["406"])
        #expect(try bench.count("sluice.vital") == 406)
        await bench.finish()
        try FileManager.default.removeItem(atPath: path)
    }

    @Test func `without a spool the client is told to retry, and then finds its days made`()
        async throws
    {
        let bench = await Bench(
            try TestCluster.shared.freshDatabase(named: "history_no_spool"), Self.configuration())
        let outcome = try await Self.post(Self.history("d", days: 300), to: bench)
        // On a busy machine the answer to the first COMMIT may be too late.
        #expect(outcome == .stored(300) || outcome == .stored(0, duplicates: 300))
        await bench.finish()
    }

    /// Posts until the days are made.
    private static func post(_ body: String, to bench: Bench) async throws -> BatchOutcome {
        var outcome = try await bench.post(body)
        while case .unavailable = outcome {
            try await Task.sleep(for: .milliseconds(100))
            outcome = try await bench.post(body)
        }
        return outcome
    }

    @Test func `three weeks and late rows are stored once in partitions of a week`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "history_weeks")
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        try Migrator.choosePartitionDays(7, on: connection)
        connection.close()
        let bench = await Bench(settings, Self.configuration())
        let history = Self.history("d", days: 21)
        _ = try await Self.post(history, to: bench)
        let late = Bodies.batch("d", [10, 11].map { Bodies.vital(-86_400 * $0 + 1) })
        _ = try await Self.post(late, to: bench)
        #expect(try await Self.post(history, to: bench) == .stored(0, duplicates: 21))
        #expect(try bench.count("sluice.vital") == 23)
        // Tuesday, February 10th and the 20 days before.
        let weeks = try bench.query(
            """
            SELECT DISTINCT right(tableoid::regclass::text, 8) FROM sluice.vital ORDER BY 1
            """)
        #expect(weeks == ["20260119", "20260126", "20260202", "20260209"])
        await bench.finish()
    }

    @Test func `a record that waits for a budget delays no record behind it`() async throws {
        var configuration = Self.configuration()
        configuration.daysPerDeviceMax = 20
        let path = SpoolTests.directory()
        let bench = await Bench(
            try TestCluster.shared.freshDatabase(named: "history_budget"), configuration,
            spool: try SpoolTests.spool(path))
        for device in 0..<5 {
            let history = Self.history("old\(device)", days: 60, from: 100 * device + 20)
            #expect(try await bench.post(history) == .spooled)
        }
        try await SpoolTests.eventually { bench.ingestor.spoolFigures?.records == 5 }
        // Spools a batch after them, which is then replayed.
        let lock = try bench.connection()
        try lock.execute("BEGIN; LOCK TABLE sluice.vital")
        #expect(try await bench.post(Bodies.batch("e", [Bodies.vital(0)])) == .spooled)
        try lock.execute("ROLLBACK")
        lock.close()
        try await SpoolTests.eventually { try bench.count("sluice.vital") == 1 }
        try await SpoolTests.eventually { bench.ingestor.spoolFigures?.units == 300 }
        let days = try bench.query(
            "SELECT count(DISTINCT day)::text FROM sluice.day_partition WHERE day < '2026-02-01'")
        #expect(Int(days[0])! <= 100)
        await bench.finish()
        try FileManager.default.removeItem(atPath: path)
    }

    @Test func `a trigger that raises check_violation costs only the reading that it refuses`()
        async throws
    {
        let bench = try await Bench.fresh("history_trigger", Bench.single)
        let connection = try bench.connection()
        try connection.execute(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'no' USING ERRCODE = 'check_violation'; END $$;
            CREATE TRIGGER refuse BEFORE INSERT ON sluice.vital FOR EACH ROW
            WHEN (new.val = 13) EXECUTE FUNCTION refuse()
            """)
        connection.close()
        let outcomes = try await bench.post(
            together: [
                Bodies.batch("d", (0..<10).map { Bodies.vital($0, $0 == 4 ? 13 : 70) }),
                Bodies.batch("e", [Bodies.vital(1), Bodies.gps(2)]),
            ], []
        ).batches
        #expect(outcomes[0] == .stored(9, refused: LaneRefusals(.refusedByDatabase, 1)))
        #expect(outcomes[1] == .stored(2))
        await bench.finish()
    }

    @Test func `a day that an operator's partition overlaps is named, and its neighbours are made`()
        async throws
    {
        var configuration = Self.configuration()
        configuration.stallMax = .seconds(2)
        let bench = await Bench(
            try TestCluster.shared.freshDatabase(named: "history_overlap"), configuration)
        let connection = try bench.connection()
        defer { connection.close() }
        try connection.execute(
            """
            CREATE TABLE mine PARTITION OF sluice.event
            FOR VALUES FROM ('2026-02-07 06:00+00') TO ('2026-02-07 07:00+00')
            """)
        // Three days and the one between them, of one device and at the same time.
        let days = [5, 4, 3, 2]
        let batches = days.map { Bodies.batch("d", [Bodies.vital(-86_400 * $0)]) }
        let bodies = Bodies.time(-86_400 * 3).hasPrefix("2026-02-07")
        #expect(bodies)
        let outcomes = try await bench.post(together: batches, []).batches
        for (day, outcome) in zip(days, outcomes) {
            #expect((outcome == .stored(1)) == (day != 3), "\(day): \(String(describing: outcome))")
        }
        let failing = "SELECT item || ' ' || (attempts > 0) FROM sluice.failing_now"
        #expect(try bench.query(failing) == ["2026-02-07 true"])
        try connection.execute("DROP TABLE mine")
        #expect(try await Self.post(batches[2], to: bench) == .stored(1))
        #expect(try bench.query(failing) == [])
        await bench.finish()
    }
}
