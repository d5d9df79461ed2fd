import Foundation
import Ingest
import Postgres
import TestSupport
import Testing

/// Units of work on the lanes, with a real server.
@Suite(.timeLimit(.minutes(10))) struct UnitTests {
    @Test func `each unit's answer is its own result of the statement`() async throws {
        let bench = try await Bench.withNotes("units")
        #expect(await bench.post(Notes.unit("a")) == .committed("stored"))
        #expect(await bench.post(Notes.unit("a")) == .committed("same"))
        #expect(await bench.post(Notes.unit("a", "new", at: 2)) == .committed("replaced"))
        #expect(await bench.post(Notes.unit("a", "old", at: 1)) == .committed("older"))
        #expect(try bench.query("SELECT id || at || body FROM note") == ["a2new"])
        let many = (0..<300).map { Notes.unit("m\($0 % 250)", owner: "o\($0 % 250 % 17)") }
        let outcomes = try await bench.post(together: [], many).units
        #expect(outcomes.prefix(250).allSatisfy { $0 == .committed("stored") })
        #expect(try bench.count("note") == 251)
        #expect(bench.metric("sluice_units_total{outcome=\"recorded\"}") == 304)
        #expect(bench.metric("sluice_units_received_total") == 304)
        #expect(bench.metric("sluice_units_in_flight") == 0)
        #expect(bench.metric("sluice_readings_total{outcome=\"stored\"}") == nil)
    }

    @Test func `units of one owner keep their order, and a repeated unit is written twice`()
        async throws
    {
        var configuration = IngestionConfiguration()
        configuration.lanes = 3
        configuration.groupBytesMax = 4000
        let bench = try await Bench.withNotes("unit_order", configuration)
        let units = (0..<600).map { Notes.unit("\($0)", owner: "o\($0 % 7)") }
        #expect(try await bench.post(together: [], units).units.count { $0 != nil } == 600)
        for owner in 0..<7 {
            let written = try bench.query(
                "SELECT id FROM note_order WHERE owner = 'o\(owner)' ORDER BY number")
            #expect(written == stride(from: owner, to: 600, by: 7).map { "\($0)" })
        }
        let twice = [Notes.unit("x", "1", at: 9), Notes.unit("x", "2", at: 9)]
        #expect(
            try await bench.post(together: [], twice).units == [
                .committed("stored"), .committed("replaced"),
            ])
    }

    @Test func `units and readings that wait together are one transaction`() async throws {
        let bench = try await Bench.withNotes("unit_group", Bench.single)
        // A batch whose day is missing would be written separately.
        #expect(try await bench.post(Bodies.batch("e", [Bodies.event(0)])) == .stored(1))
        let outcomes = try await bench.post(
            together: [Bodies.batch("d", [Bodies.vital(1), Bodies.gps(2)])],
            [Notes.unit("a"), Notes.unit("b", owner: "p")])
        #expect(outcomes.batches == [.stored(2)])
        #expect(outcomes.units == [.committed("stored"), .committed("stored")])
        #expect(
            try bench.query(
                """
                SELECT count(DISTINCT x)::text FROM (SELECT xmin::text x FROM note
                    UNION ALL SELECT xmin::text FROM sluice.vital) both_tables
                """) == ["1"])
    }

    @Test func `a unit whose COMMIT answer was lost is written once and answered`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "unit_lost")
        try Bench.run(Notes.schema, on: settings)
        let cutter = try CommitCutter(to: settings)
        defer { cutter.stop() }
        let bench = await Bench(cutter.settings, Bench.single)
        for round in 0..<5 {
            cutter.cutNextCommit()
            // The second call found what the first call had written.
            #expect(await bench.post(Notes.unit("\(round)")) == .committed("same"))
        }
        #expect(cutter.cuts == 5)
        #expect(try await Bench(settings).count("note") == 5)
        // Together with readings, whose answer is the result of the first attempt.
        cutter.cutNextCommit()
        let outcomes = try await bench.post(
            together: [Bodies.batch("d", [Bodies.vital(1)])], [Notes.unit("z")])
        #expect(outcomes.batches == [.stored(1)] && outcomes.units == [.committed("same")])
        #expect(cutter.cuts == 6)
    }

    @Test func `a unit that is refused costs no other unit and no reading`() async throws {
        let bench = try await Bench.withNotes("unit_poison", Bench.single)
        let units = (0..<40).map {
            Notes.unit("\($0)", $0 == 13 || $0 == 30 ? "bad" : "good", owner: "o\($0 % 3)")
        }
        let outcomes = try await bench.post(
            together: [Bodies.batch("d", [Bodies.vital(1)])], units)
        #expect(outcomes.batches == [.stored(1)])
        for (number, outcome) in outcomes.units.enumerated() {
            let isBad = number == 13 || number == 30
            #expect(outcome == (isBad ? .refused(sqlState: "23514") : .committed("stored")))
        }
        #expect(try bench.count("note") == 38)
        // Its sender got the refusal, so nothing is kept.
        #expect(try bench.count("sluice.unit_set_aside") == 0)
        #expect(bench.metric("sluice_units_total{outcome=\"refused\"}") == 2)
    }

    @Test func `a text that the server can't hold is refused by itself`() async throws {
        let bench = try await Bench.withNotes("unit_nul", Bench.single)
        let nul = WorkUnit(kind: Notes.kind, owner: "o", payload: "{\"id\":\"\u{0}\"}")
        let outcomes = try await bench.post(together: [], [Notes.unit("a"), nul, Notes.unit("b")])
            .units
        #expect(
            outcomes == [
                .committed("stored"), .refused(sqlState: "22021"),
                .committed("stored"),
            ])
    }

    @Test(arguments: [
        ("SELECT place, result FROM no_such_function($1)", "42883"),
        ("SELECT 1, 'only one' WHERE cardinality($1) > 0", "refused"),
        ("SELECT n, NULL FROM generate_series(1, cardinality($1)) n", "refused"),
        ("SELECT 1, 'x' FROM unnest($1)", "refused"),
        ("SELECT n::text, n::text FROM generate_series(1, cardinality($1)) n", "refused"),
    ])
    func `a wrong statement costs only its own units`(
        statement: String, code: String
    ) async throws {
        let bench = try await Bench.withNotes("unit_wrong", Bench.single)
        let broken = UnitKind(name: "broken", statement: statement)
        let outcomes = try await bench.post(
            together: [Bodies.batch("d", [Bodies.vital(1)])],
            [Notes.unit("a", kind: broken), Notes.unit("b", kind: broken)])
        #expect(outcomes.batches == [.stored(1)])
        #expect(outcomes.units == [.refused(sqlState: code), .refused(sqlState: code)])
        // The session still works.
        #expect(await bench.post(Notes.unit("c")) == .committed("stored"))
    }

    @Test func `kinds are told apart, and a wrong one does not cost the other`()
        async throws
    {
        let bench = try await Bench.withNotes("unit_kinds", Bench.single)
        let other = UnitKind(
            name: "other",
            statement: "SELECT n, 'other' FROM generate_series(1, cardinality($1)) n")
        let broken = UnitKind(name: "broken", statement: "SELECT place, result FROM nowhere")
        let outcomes = try await bench.post(
            together: [],
            [
                Notes.unit("a"), Notes.unit("b", kind: other), Notes.unit("c"),
                Notes.unit("d", kind: broken), Notes.unit("e", kind: other),
            ]
        ).units
        #expect(
            outcomes == [
                .committed("stored"), .committed("other"),
                .committed("stored"), .refused(sqlState: "42P01"),
                .committed("other"),
            ])
    }

    @Test func `no owner can fill the whole queue`() async throws {
        var configuration = Bench.single
        configuration.laneBytesMax = 20_000
        let bench = try await Bench.withNotes("unit_share", configuration)
        let holder = try bench.connection()
        try holder.execute("BEGIN; LOCK TABLE note IN ACCESS EXCLUSIVE MODE")
        async let first = bench.post(Notes.unit("first"))
        try await bench.waitForLocks(1)
        let gathered = Gathered<String>()
        var taken = 0
        var refusal: Offer?
        while refusal == nil, taken < 1000 {
            let unit = Notes.unit("\(taken)", owner: "greedy")
            switch bench.ingestor.offer(unit, ticket: UInt64(taken), replyTo: gathered) {
            case .taken: taken += 1
            case let other: refusal = other
            }
        }
        guard case .shareUsedUp = refusal else {
            Issue.record("\(String(describing: refusal)) after \(taken)")
            return
        }
        #expect(
            bench.ingestor.offer(
                Notes.unit("modest", owner: "modest"), ticket: 5000, replyTo: gathered) == .taken)
        bench.ingestor.dispatch()
        try holder.execute("ROLLBACK")
        #expect(await first == .committed("stored"))
        #expect(await gathered.wait(for: taken + 1).count == taken + 1)
        #expect(bench.metric("sluice_units_total{outcome=\"turned_away\"}") == 1)
        #expect(bench.metric("sluice_units_total{outcome=\"recorded\"}") == taken + 2)
    }
}
