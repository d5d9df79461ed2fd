import Foundation
import Postgres
import Readings
import TestSupport
import Testing

@testable import Ingest

/// The lateness columns of `device_state`, compared with a walk through the sent readings.
@Suite(.timeLimit(.minutes(10))) struct LatenessTests {
    /// The expected values of one device.
    private struct Model {
        var newest: [String: Int] = [:]
        var stored: Set<String> = []
        var late = 0
        var byMax = ["gps": 0, "vital": 0]

        mutating func take(_ readings: [(kind: String, second: Int, text: String)]) {
            let before = newest
            for reading in readings where stored.insert(reading.text).inserted {
                guard let known = before[reading.kind], reading.second < known else { continue }
                late += 1
                byMax[reading.kind] = max(byMax[reading.kind] ?? 0, known - reading.second)
            }
            for reading in readings {
                newest[reading.kind] = max(newest[reading.kind] ?? .min, reading.second)
            }
        }

        var text: String {
            "\(late) \((byMax["gps"] ?? 0) * 1_000_000) \((byMax["vital"] ?? 0) * 1_000_000) 0"
        }
    }

    /// Without statistics, the planner would rather compare all rows with all times.
    @Test func `stored rows are looked up one time after the other, also on days just made`()
        async throws
    {
        let bench = try await Bench.fresh("lookups")
        let days = (0..<20).map { Bodies.vital(-86_400 * $0) }
        #expect(try await bench.post(Bodies.batch("d", days)) == .stored(20))
        await bench.finish()
        let settings = PostgresSession.settings(bench.settings, Bench.unhurried, lane: 0)
        let connection = try Connection.open(settings, deadline: .now + .seconds(60))
        defer { connection.close() }
        try connection.query(
            """
            INSERT INTO sluice.vital SELECT 1, t + n * interval '10 s', 1, n
            FROM sluice.vital, generate_series(1, 500) n
            """)
        var spans = Parameters()
        spans.append(int8s: [Int64](repeating: 1, count: 5000))
        let times = (0..<5000).map { Int64($0) * 300_000_000 }
        spans.append(timestamptzs: times.map(Optional.some))
        spans.append(timestamptzs: times.map(Optional.some))
        spans.append(timestamptz: 0)
        spans.append(timestamptz: 900_000_000_000_000)
        let plan = try connection.query("EXPLAIN " + StoredRows.statement(.vital), spans)
        let lines = (0..<plan.count).map { plan.string($0, 0) }
        #expect(lines[0].contains("Nested Loop") && lines[1].contains("Function Scan on span"))
    }

    private static let noted = """
        SELECT concat_ws(' ', late_readings, gps_late_by_us, vital_late_by_us, event_late_by_us)
        FROM sluice.device_state JOIN sluice.device USING (device_key) ORDER BY device_id
        """

    @Test(arguments: [1, 2, 3, 4] as [UInt64], [1, 2, 3, 7, 20, 1000])
    func `late readings are counted once, however groups are cut`(
        seed: UInt64, groupSize: Int
    ) async throws {
        var random = Dice(seed: seed)
        var configuration = Bench.unhurried
        configuration.lanes = 1
        let bench = try await Bench.fresh("lateness", configuration)
        var models = [Model(), Model()]
        var bodies: [String] = []
        for round in 0..<60 {
            let device = Int.random(in: 0..<2, using: &random)
            let start = max(0, round * 10 - Int.random(in: 0...80, using: &random))
            var readings: [(kind: String, second: Int, text: String)] = []
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                let second = start + Int.random(in: 0..<30, using: &random)
                let isGPS = Bool.random(using: &random)
                let value = Double(Int.random(in: 0..<2, using: &random))
                readings.append(
                    (
                        isGPS ? "gps" : "vital", second,
                        isGPS ? Bodies.gps(second, value) : Bodies.vital(second, value)
                    ))
            }
            models[device].take(readings)
            bodies.append(Bodies.batch("d\(device)", readings.map(\.text)))
            if Int.random(in: 0..<4, using: &random) == 0,
                let old = bodies.randomElement(using: &random)
            {
                // A replay: nothing is stored and nothing counts as late.
                bodies.append(old)
            }
        }
        for first in stride(from: 0, to: bodies.count, by: groupSize) {
            let group = bodies[first..<min(first + groupSize, bodies.count)]
            for outcome in try await bench.post(together: Array(group), []).batches {
                guard case .committed = outcome else {
                    Issue.record("not committed: \(String(describing: outcome))")
                    continue
                }
            }
        }
        #expect(try bench.query(Self.noted) == models.map(\.text))
        #expect(models.contains { $0.late > 0 })
        let isConsistent = try bench.query(
            "SELECT bool_and((late_readings > 0) = (late_at > now() - interval '1 hour'))::text "
                + "FROM sluice.device_state")
        #expect(isConsistent == ["true"])
        await bench.finish()
    }

    @Test func `lateness is forgotten after 30 days without late readings`() async throws {
        let bench = try await Bench.fresh("forgets")
        for second in [1000, 100, 2000] {
            _ = try await bench.post(Bodies.batch("d", [Bodies.gps(second)]))
        }
        #expect(try bench.query(Self.noted) == ["1 900000000 0 0"])
        for (age, expected) in [("29", "2 900000000 0 0"), ("31", "3 3000000 0 0")] {
            try Bench.run(
                "UPDATE sluice.device_state SET late_at = now() - interval '\(age) days'",
                on: bench.settings)
            let second = age == "29" ? 1999 : 1997
            _ = try await bench.post(Bodies.batch("d", [Bodies.gps(second)]))
            #expect(try bench.query(Self.noted) == [expected])
        }
        await bench.finish()
    }

    @Test func `nothing is late in order, in one batch or of another kind`() async throws {
        let bench = try await Bench.fresh("order")
        // Readings out of order within a batch are not late.
        _ = try await bench.post(Bodies.batch("d", [50, 40, 60].map { Bodies.gps($0) }))
        _ = try await bench.post(Bodies.batch("d", [Bodies.vital(10), Bodies.gps(70)]))
        // Another reading of the newest time.
        _ = try await bench.post(Bodies.batch("d", [Bodies.gps(70, 9)]))
        #expect(try bench.query(Self.noted) == ["0 0 0 0"])
        #expect(try bench.query("SELECT late_at::text FROM sluice.device_state") == ["-infinity"])
        await bench.finish()
    }
}
