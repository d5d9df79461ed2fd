import Foundation
import Ingest
import Postgres
import Readings
import SpoolLog
import TestSupport
import Testing

/// What a device or owner that can't be written at the moment costs the others of its lane.
@Suite(.timeLimit(.minutes(10))) struct BlockedTests {
    /// Time in which the others must be answered. Far above what it takes, because the machine may
    /// stall, and far below the limits of ``Bench/unhurried``.
    private static let answerMax: Duration = .seconds(15)

    /// One lane and a spool. Only the narrowing ends a wait early.
    private static func bench(
        _ settings: ConnectionSettings, _ path: String,
        _ change: (inout IngestionConfiguration) -> Void = { _ in }
    ) async throws -> Bench {
        var configuration = single
        configuration.lookInterval = .milliseconds(50)
        configuration.replayRetry = .milliseconds(200)
        configuration.replayRetryMax = .seconds(1)
        change(&configuration)
        return await Bench(
            settings, configuration, spool: try SpoolTests.spool(path), unitKinds: [Notes.kind])
    }

    private static var single: IngestionConfiguration {
        var configuration = Bench.single
        configuration.narrowAfter = IngestionConfiguration().narrowAfter
        return configuration
    }

    private static func key(_ device: String) -> Int64 { DeviceKey(of: device, user: device).value }

    /// Posts a batch of each device at once.
    private static func post(
        _ devices: Range<Int>, second: Int, _ bench: Bench
    ) async throws -> [Int: (outcome: BatchOutcome, time: Duration)] {
        try await withThrowingTaskGroup(of: (Int, BatchOutcome, Duration).self) { group in
            for device in devices {
                group.addTask {
                    let start = ContinuousClock.now
                    let outcome = try await bench.post(
                        Bodies.batch("d\(device)", [Bodies.vital(second), Bodies.gps(second)]))
                    return (device, outcome, .now - start)
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = ($1.1, $1.2) }
        }
    }

    /// Posts rounds of batches while `d0` is blocked: the others are stored in time, and each of
    /// its own batches goes to the spool.
    private static func demandNarrow(_ rounds: ClosedRange<Int>, _ bench: Bench) async throws {
        for second in rounds {
            for (device, answer) in try await post(0..<8, second: second, bench) {
                let expected: BatchOutcome = device == 0 ? .spooled : .stored(2)
                #expect(answer.outcome == expected, "device \(device) in round \(second)")
                #expect(answer.time < answerMax, "device \(device) in round \(second)")
            }
        }
    }

    private static func demandStored(_ rounds: Int, _ bench: Bench) async throws {
        try await SpoolTests.eventually { bench.ingestor.spoolFigures?.records == 0 }
        for table in ["sluice.vital", "sluice.gps"] {
            #expect(try bench.count(table) == 8 * rounds)
            #expect(
                try bench.count("(SELECT DISTINCT device_key, t FROM \(table)) r") == 8 * rounds)
        }
        #expect(
            try bench.query("SELECT DISTINCT readings::text FROM sluice.device_state")
                == ["\(2 * rounds)"])
        // The device is written like the others again.
        let isForgotten = try await eventually(every: .milliseconds(100)) {
            try await bench.post(Bodies.batch("d0", [Bodies.vital(1)]))
                == .stored(0, duplicates: 1)
        }
        #expect(isForgotten)
    }

    @Test func `a device whose row an open transaction has changed delays no other`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "blocked_row")
        let path = SpoolTests.directory()
        let bench = try await Self.bench(settings, path)
        _ = try await Self.post(0..<8, second: 0, bench)
        let other = try bench.connection()
        try other.execute(
            """
            BEGIN; UPDATE sluice.device_state SET last_seen = last_seen
            WHERE device_key = \(Self.key("d0"))
            """)
        try await Self.demandNarrow(1...12, bench)
        #expect(bench.ingestor.isDatabaseUp)
        try other.execute("COMMIT")
        try await Self.demandStored(13, bench)
        await bench.finish()
        try FileManager.default.removeItem(atPath: path)
    }

    @Test func `a device whose row a trigger keeps as it is delays no other`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "blocked_trigger")
        let path = SpoolTests.directory()
        let bench = try await Self.bench(settings, path) { $0.attemptMax = .seconds(20) }
        _ = try await Self.post(0..<8, second: 0, bench)
        let other = try bench.connection()
        try other.execute(
            """
            CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RETURN NULL; END $$;
            CREATE TRIGGER keep BEFORE UPDATE ON sluice.device_state FOR EACH ROW
            WHEN (old.device_key = \(Self.key("d0"))) EXECUTE FUNCTION keep()
            """)
        try await Self.demandNarrow(1...4, bench)
        try other.execute("DROP TRIGGER keep ON sluice.device_state")
        try await Self.demandStored(5, bench)
        await bench.finish()
        try FileManager.default.removeItem(atPath: path)
    }

    /// Batches that change the attributes meet the lock, those between them don't.
    @Test func `a device whose attributes are locked delays no other`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "blocked_attributes")
        let path = SpoolTests.directory()
        let bench = try await Self.bench(settings, path)
        func body(_ device: Int, _ version: Int) -> String {
            """
            {"metadata":{"device_id":"d\(device)","version":"\(version)"},"data":[\
            \(Bodies.vital(version))]}
            """
        }
        for device in 0..<8 { #expect(try await bench.post(body(device, 0)) == .stored(1)) }
        let other = try bench.connection()
        try other.execute(
            "BEGIN; SELECT FROM sluice.device WHERE device_key = \(Self.key("d3")) FOR UPDATE")
        for version in 1...3 {
            let start = ContinuousClock.now
            let outcomes = try await bench.post(together: (0..<8).map { body($0, version) }, [])
                .batches
            for (device, outcome) in outcomes.enumerated() {
                #expect(outcome == (device == 3 ? .spooled : .stored(1)), "\(device)")
            }
            #expect(.now - start < Self.answerMax)
            // Now and then it is written between two trials.
            _ = try await bench.post(Bodies.batch("d3", []))
        }
        try other.execute("COMMIT")
        try await SpoolTests.eventually { bench.ingestor.spoolFigures?.records == 0 }
        #expect(try bench.count("sluice.vital") == 32)
        #expect(try bench.query("SELECT DISTINCT version FROM sluice.device") == ["3"])
        await bench.finish()
        try FileManager.default.removeItem(atPath: path)
    }

    @Test func `a batch too large for statement_timeout is stored in parts and delays no other`()
        async throws
    {
        var settings = try TestCluster.shared.freshDatabase(named: "blocked_large")
        let path = SpoolTests.directory()
        settings.sessionSettings["statement_timeout"] = "1s"
        let bench = try await Self.bench(settings, path)
        _ = try await Self.post(0..<8, second: 0, bench)
        try bench.connection().execute(
            """
            CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN PERFORM pg_sleep(0.004); RETURN new; END $$;
            CREATE TRIGGER dawdle BEFORE INSERT ON sluice.event FOR EACH ROW
            EXECUTE FUNCTION dawdle()
            """)
        let large = Bodies.batch("d0", (0..<600).map { Bodies.event($0) })
        for round in 1...3 {
            let bodies = (1..<8).map { Bodies.batch("d\($0)", [Bodies.vital(round)]) }
            let start = ContinuousClock.now
            let outcomes = try await bench.post(together: [large] + bodies, []).batches
            #expect(.now - start < Self.answerMax * 2)
            #expect(
                outcomes[0] == (round == 1 ? .stored(600) : .stored(0, duplicates: 600)))
            #expect(outcomes.dropFirst().allSatisfy { $0 == .stored(1) }, "\(round)")
        }
        #expect(try bench.count("sluice.event") == 600)
        #expect(try bench.count("sluice.quarantine") == 0)
        await bench.finish()
        try FileManager.default.removeItem(atPath: path)
    }

    @Test func `a locked device's records of the spool delay no other's`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "blocked_backlog")
        let path = SpoolTests.directory()
        let first = try await Self.bench(settings, path)
        _ = try await Self.post(0..<8, second: 0, first)
        await first.finish()
        let away = try await Self.bench(SpoolTests.nowhere, path) { $0.connectMax = .seconds(1) }
        for second in 1...20 {
            for (_, answer) in try await Self.post(0..<8, second: second, away) {
                #expect(answer.outcome == .spooled)
            }
        }
        await away.finish()
        let other = try Connection.open(settings, deadline: .now + .seconds(300))
        try other.execute(
            "BEGIN; SELECT FROM sluice.device_state WHERE device_key = \(Self.key("d0")) FOR UPDATE"
        )
        let bench = try await Self.bench(settings, path)
        let end = ContinuousClock.now + Self.answerMax
        var stored = 0
        while stored < 7 * 21, ContinuousClock.now < end {
            stored = try bench.count("sluice.vital") - 1
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(stored == 7 * 21)
        #expect(bench.ingestor.isDatabaseUp)
        try other.execute("COMMIT")
        try await Self.demandStored(21, bench)
        await bench.finish()
        try FileManager.default.removeItem(atPath: path)
    }

    @Test func `an owner whose row somebody has locked delays no other owner's units`() async throws
    {
        let settings = try TestCluster.shared.freshDatabase(named: "blocked_unit")
        try Bench.run(Notes.schema, on: settings)
        let path = SpoolTests.directory()
        let bench = try await Self.bench(settings, path) { $0.patience = .seconds(1) }
        for owner in 0..<8 {
            _ = await bench.post(Notes.unit("n\(owner)", "0", at: 0, owner: "o\(owner)"))
        }
        let other = try bench.connection()
        try other.execute("BEGIN; SELECT FROM note WHERE id = 'n5' FOR UPDATE")
        for round in 1...3 {
            let units = (0..<8).map {
                Notes.unit("n\($0)", "\(round)", at: round, owner: "o\($0)")
            }
            let outcomes = try await bench.post(
                together: [Bodies.batch("d", [Bodies.vital(round)])], units)
            #expect(outcomes.batches == [.stored(1)])
            for (owner, outcome) in outcomes.units.enumerated() {
                #expect(
                    outcome == (owner == 5 ? .spooled : .committed("replaced")), "\(owner)")
            }
        }
        try other.execute("COMMIT")
        try await SpoolTests.eventually { bench.ingestor.spoolFigures?.records == 0 }
        #expect(try bench.query("SELECT DISTINCT body FROM note") == ["3"])
        await bench.finish()
        try FileManager.default.removeItem(atPath: path)
    }

    @Test func `a device that can't be spooled either is turned away alone`() async throws {
        let bench = try await Bench.fresh("blocked_503", Self.single)
        _ = try await Self.post(0..<4, second: 0, bench)
        let other = try bench.connection()
        try other.execute(
            "BEGIN; SELECT FROM sluice.device_state WHERE device_key = \(Self.key("d0")) FOR UPDATE"
        )
        for (device, answer) in try await Self.post(0..<4, second: 1, bench) {
            guard device == 0 else {
                #expect(answer.outcome == .stored(2))
                continue
            }
            guard case .unavailable = answer.outcome else {
                Issue.record("\(answer.outcome)")
                continue
            }
        }
        try other.execute("COMMIT")
        await bench.finish()
    }
}
