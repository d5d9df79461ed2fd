import Postgres
import Readings
import TestSupport
import Testing

@testable import Ingest

/// What a refusal costs the readings that were sent together with the refused one.
@Suite(.timeLimit(.minutes(10))) struct RefusedTogetherTests {
    /// Marks the rows of `kind` of the day of ``Bodies/time(_:)`` 0 as departed, which is all that
    /// lanes look at.
    private static func leave(_ kind: String, _ bench: Bench) throws {
        let day = String(Bodies.time(0).prefix(10))
        let connection = try bench.connection()
        defer { connection.close() }
        try connection.execute(
            """
            DELETE FROM sluice.rollup_due;
            SELECT sluice.begin_leaving('\(kind)', '\(day)');
            DROP TABLE sluice_partitions.leaving_1_\(kind)_\(day.replacing("-", with: ""));
            UPDATE sluice.archive SET state = 'gone'
            """)
    }

    private static func vitals(_ seconds: Range<Int>, isBad: (Int) -> Bool) -> [String] {
        seconds.map { Bodies.vital($0, isBad($0) ? 13 : 70) }
    }

    /// A bench whose database refuses the value 13.
    private static func picky(_ name: String) async throws -> Bench {
        let bench = try await Bench.fresh(name, Bench.single)
        let connection = try bench.connection()
        defer { connection.close() }
        try connection.execute(
            """
            SELECT sluice.ensure_days('2026-02-09', '2026-02-11');
            ALTER TABLE sluice.vital ADD CHECK (val <> 13)
            """)
        return bench
    }

    @Test func `a day that left costs no device the readings of other days`() async throws {
        let bench = try await Bench.fresh("left_together", Bench.single)
        #expect(try await bench.post(Bodies.batch("d", [Bodies.vital(0)])) == .stored(1))
        try Self.leave("vital", bench)
        await bench.finish()
        let late = await Bench(bench.settings, Bench.single)
        let bodies = (0..<6).map { device in
            let seconds = (0..<50).flatMap { [$0, 86_400 + $0] }
            return Bodies.batch("d\(device)", seconds.map { Bodies.vital($0) })
        }
        for outcome in try await late.post(together: bodies, []).batches {
            #expect(outcome == .stored(50, refused: LaneRefusals(.timeTooOld, 50)))
        }
        #expect(try late.count("sluice.vital") == 300)
        #expect(
            try late.query("SELECT reason FROM sluice.quarantine")
                == [String](repeating: "t_too_old", count: 300))
        // The lane found them by a query, not by failed attempts.
        #expect(late.metric("sluice_group_splits_total") == 0)
        await late.finish()
    }

    @Test func `a day that left one table costs the others nothing`() async throws {
        let bench = try await Bench.fresh("left_one", Bench.single)
        #expect(try await bench.post(Bodies.batch("d", [Bodies.gps(0)])) == .stored(1))
        try Self.leave("vital", bench)
        await bench.finish()
        let late = await Bench(bench.settings, Bench.single)
        let mixed = [Bodies.gps(0), Bodies.gps(1), Bodies.vital(2), Bodies.event(3)]
        for _ in 0..<2 {
            let outcome = try await late.post(Bodies.batch("e", mixed))
            guard case .committed(let counts) = outcome, counts.quarantined == 1 else {
                Issue.record("\(outcome)")
                return
            }
            #expect(counts.stored + counts.duplicates == 3)
            #expect(counts.refusals == LaneRefusals(.timeTooOld, 1))
        }
        #expect(try late.count("sluice.gps") == 3 && late.count("sluice.event") == 1)
        await late.finish()
    }

    @Test func `a trigger that refuses with the code of days that left is told apart from them`()
        async throws
    {
        let bench = try await Bench.fresh("left_not", Bench.single)
        let connection = try bench.connection()
        try connection.execute(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '22008'; END $$;
            CREATE TRIGGER refuse BEFORE INSERT ON sluice.vital FOR EACH ROW
            WHEN (new.val = 13) EXECUTE FUNCTION refuse()
            """)
        connection.close()
        let vitals = Self.vitals(0..<10) { $0 == 4 }
        #expect(
            try await bench.post(Bodies.batch("d", vitals))
                == .stored(9, refused: LaneRefusals(.refusedByDatabase, 1)))
        await bench.finish()
    }

    @Test func `one device's bad readings cost another no good ones`() async throws {
        let bench = try await Self.picky("share")
        let outcomes = try await bench.post(
            together: [
                Bodies.batch("a", Self.vitals(0..<400) { $0 % 2 == 0 }),
                Bodies.batch("b", Self.vitals(0..<400) { $0 == 399 }),
                Bodies.batch("c", Self.vitals(0..<400) { _ in false }),
            ], []
        ).batches
        guard case .committed(let counts)? = outcomes[0], counts.stored >= 100,
            counts.duplicates == 0
        else {
            Issue.record("\(String(describing: outcomes[0]))")
            return
        }
        let (aside, refusals) = (counts.quarantined, counts.refusals)
        // Half of all splits belong to the other devices. Beyond its own share, the device's
        // readings are not examined one by one.
        #expect(refusals[.refusedByDatabase] >= 100)
        #expect(refusals[.refusedByDatabase] + refusals[.refusedWithOthers] == aside)
        #expect(outcomes[1] == .stored(399, refused: LaneRefusals(.refusedByDatabase, 1)))
        #expect(outcomes[2] == .stored(400))
        // Without other devices to share the splits with.
        let alone = Bodies.batch("d", Self.vitals(0..<400) { $0 % 2 == 0 })
        #expect(
            try await bench.post(alone)
                == .stored(200, refused: LaneRefusals(.refusedByDatabase, 200)))
        await bench.finish()
    }

    @Test func `a reading that was refused with others is stored when it is sent again`()
        async throws
    {
        let bench = try await Self.picky("remainder")
        let many = Self.vitals(0..<2000) { $0 % 2 == 0 }
        let outcomes = try await bench.post(
            together: [
                Bodies.batch("a", many), Bodies.batch("b", Self.vitals(0..<400) { $0 == 7 }),
            ], []
        ).batches
        #expect(outcomes[1] == .stored(399, refused: LaneRefusals(.refusedByDatabase, 1)))
        guard case .committed(let counts)? = outcomes[0], counts.duplicates == 0 else {
            Issue.record("\(String(describing: outcomes[0]))")
            return
        }
        let (stored, aside) = (counts.stored, counts.quarantined)
        let refusals = counts.refusals
        #expect(stored > 100 && stored + aside == 2000 && refusals.count == aside)
        #expect(refusals[.refusedByDatabase] + refusals[.refusedWithOthers] == aside)
        #expect(refusals[.refusedWithOthers] == bench.setAsideByLanes(.refusedWithOthers))
        // Separating the two device batches takes one more split.
        #expect(bench.metric("sluice_group_splits_total")! <= GroupSettlement.splitsMax + 1)
        // As `sluice quarantine requeue` does it.
        let bodies = try bench.query(
            """
            SELECT convert_from(body, 'UTF8') FROM sluice.quarantine
            WHERE reason = 'refused_with_others'
            """)
        #expect(bodies.count == refusals[.refusedWithOthers])
        let again = try await bench.post(
            together: bodies.map { Bodies.batch("a", [$0]) }, []
        ).batches
        #expect(again.filter { $0 == .stored(1) }.count == 1000 - stored)
        #expect(try bench.count("sluice.vital") == 1399)
        await bench.finish()
    }

    @Test func `a constraint that refuses everything costs others nothing, and takes few attempts`()
        async throws
    {
        let bench = try await Self.picky("everything")
        var bodies = (0..<60).map { device in
            Bodies.batch("d\(device)", Self.vitals(0..<40) { _ in true })
        }
        bodies.append(Bodies.batch("mixed", Self.vitals(0..<40) { $0 == 17 }))
        bodies.append(Bodies.batch("good", Self.vitals(0..<40) { _ in false }))
        let outcomes = try await bench.post(together: bodies, []).batches
        for outcome in outcomes[..<60] {
            guard case .committed(let counts) = outcome, counts.quarantined == 40 else {
                Issue.record("\(String(describing: outcome))")
                continue
            }
        }
        #expect(outcomes[60] == .stored(39, refused: LaneRefusals(.refusedByDatabase, 1)))
        #expect(outcomes[61] == .stored(40))
        let splits = bench.metric("sluice_group_splits_total")!
        #expect(splits < GroupSettlement.splitsMax + bodies.count)
        await bench.finish()
    }
}
