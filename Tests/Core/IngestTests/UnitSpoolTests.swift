import Foundation
import Ingest
import Postgres
import SpoolLog
import TestSupport
import Testing

/// Units that the database doesn't take now, with a real server and a real directory.
@Suite(.timeLimit(.minutes(10))) struct UnitSpoolTests {
    /// A database that takes notes, and the directory of a spool.
    private struct Scene {
        let settings: ConnectionSettings
        let path: String

        init(_ name: String) throws {
            settings = try TestCluster.shared.freshDatabase(named: name)
            try Bench.run(Notes.schema, on: settings)
            path = SpoolTests.directory()
        }

        /// Offers them to a process without a database.
        func spool(_ units: [WorkUnit], _ bodies: [String] = []) async throws {
            let bench = await Bench(
                SpoolTests.nowhere, SpoolTests.hasty, spool: try SpoolTests.spool(path),
                unitKinds: Array(Set(units.map(\.kind))))
            let outcomes = try await bench.post(together: bodies, units)
            #expect(outcomes.batches.allSatisfy { $0 == .spooled })
            #expect(outcomes.units.allSatisfy { $0 == .spooled })
            #expect(
                bench.metric("sluice_units_total{outcome=\"spooled\"}") == units.count)
            let found = try #require(bench.metric("sluice_spool_found_units_total"))
            #expect(bench.metric("sluice_spool_waiting_units") == found + units.count)
            await bench.finish()
        }

        /// A process that replays the pending records.
        func replay(_ kinds: [UnitKind], from other: String? = nil) async throws -> Bench {
            let bench = await Bench(
                settings, SpoolTests.hasty, spool: try SpoolTests.spool(other ?? path),
                unitKinds: kinds)
            try await SpoolTests.eventually { bench.ingestor.spoolFigures?.records == 0 }
            return bench
        }
    }

    @Test func `units and readings from the spool are written once, even if replayed twice`()
        async throws
    {
        let scene = try Scene("unit_spool")
        let units = (0..<60).map { Notes.unit("\($0)", owner: "o\($0 % 5)") }
        try await scene.spool(units, [Bodies.batch("d", [Bodies.vital(1), Bodies.gps(2)])])
        let copy = scene.path + "-copy"
        try FileManager.default.copyItem(atPath: scene.path, toPath: copy)
        for path in [scene.path, copy] {
            let bench = try await scene.replay([Notes.kind], from: path)
            #expect(try bench.count("note") == 60)
            #expect(try bench.count("sluice.vital") == 1)
            #expect(try bench.count("sluice.unit_set_aside") == 0)
            #expect(bench.metric("sluice_spool_found_units_total") == 60)
            #expect(bench.metric("sluice_spool_found_readings_total") == 2)
            #expect(
                bench.metric("sluice_spool_replayed_units_total{outcome=\"recorded\"}") == 60)
            #expect(bench.metric("sluice_spool_waiting_units") == 0)
            await bench.finish()
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test func `a unit that can't wait in the spool is refused, and others are spooled`()
        async throws
    {
        let path = SpoolTests.directory()
        let hasty = UnitKind(
            name: "hasty", statement: "SELECT place, result FROM store_notes($1)",
            mayWaitInSpool: false)
        let bench = await Bench(
            SpoolTests.nowhere, SpoolTests.hasty, spool: try SpoolTests.spool(path),
            unitKinds: [Notes.kind, hasty])
        guard case .unavailable = await bench.post(Notes.unit("a", kind: hasty)) else {
            Issue.record("not refused")
            return
        }
        #expect(await bench.post(Notes.unit("b")) == .spooled)
        #expect(bench.metric("sluice_spool_waiting_units") == 1)
        await bench.finish()
        try FileManager.default.removeItem(atPath: path)
    }

    @Test func `a unit that can't wait goes to the spool if its COMMIT may have succeeded`()
        async throws
    {
        let scene = try Scene("unit_doubt")
        // COMMIT takes longer than an attempt may, as if a standby did not answer.
        try Bench.run(
            """
            CREATE TABLE slow (seconds int PRIMARY KEY);
            INSERT INTO slow VALUES (5);
            CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN PERFORM pg_sleep(seconds) FROM slow; RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON note DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION wait();
            """, on: scene.settings)
        let hasty = UnitKind(
            name: "hasty", statement: "SELECT place, result FROM store_notes($1)",
            mayWaitInSpool: false)
        let bench = await Bench(
            scene.settings, SpoolTests.hasty, spool: try SpoolTests.spool(scene.path),
            unitKinds: [hasty])
        // It is spooled only once its COMMIT was sent.
        let isSpooled = try await eventually {
            await bench.post(Notes.unit("a", kind: hasty)) == .spooled
        }
        #expect(isSpooled)
        try Bench.run("DELETE FROM slow", on: scene.settings)
        try await SpoolTests.eventually { bench.ingestor.spoolFigures?.records == 0 }
        #expect(try bench.count("note") == 1)
        await bench.finish()
        try FileManager.default.removeItem(atPath: scene.path)
    }

    @Test func `a unit from the spool does not undo a later one`() async throws {
        let scene = try Scene("unit_late")
        try await scene.spool([Notes.unit("a", "early", at: 1), Notes.unit("b", "early", at: 1)])
        let live = await Bench(scene.settings)
        #expect(await live.post(Notes.unit("a", "late", at: 2)) == .committed("stored"))
        await live.finish()
        let bench = try await scene.replay([Notes.kind])
        #expect(try bench.query("SELECT body FROM note ORDER BY id") == ["late", "early"])
        await bench.finish()
        try FileManager.default.removeItem(atPath: scene.path)
    }

    @Test
    func `an acknowledged unit that is refused later is rejected once, and others are written`()
        async throws
    {
        let scene = try Scene("unit_aside")
        let units = (0..<30).map { Notes.unit("\($0)", $0 % 10 == 7 ? "bad" : "good") }
        try await scene.spool(units, [Bodies.batch("d", [Bodies.vital(1)])])
        let copy = scene.path + "-copy"
        try FileManager.default.copyItem(atPath: scene.path, toPath: copy)
        for path in [scene.path, copy] {
            let bench = try await scene.replay([Notes.kind], from: path)
            #expect(try bench.count("note") == 27)
            #expect(try bench.count("sluice.vital") == 1)
            #expect(
                try bench.query(
                    """
                    SELECT concat_ws('|', kind, sqlstate, reason,
                        convert_from(payload, 'UTF8')::jsonb ->> 'id',
                        date_trunc('second', received_at))
                    FROM sluice.unit_set_aside ORDER BY digest
                    """
                ).sorted()
                    == ["17", "27", "7"].map {
                        "note|23514|refused_by_database|\($0)|2026-02-11 08:53:20+00"
                    })
            #expect(
                bench.metric("sluice_spool_replayed_units_total{outcome=\"set_aside\"}") == 3)
            await bench.finish()
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test func `a unit that no text column can hold is rejected too`() async throws {
        let scene = try Scene("unit_aside_nul")
        let nul = WorkUnit(kind: Notes.kind, owner: "o", payload: "{\"id\":\"\u{0}\"}")
        try await scene.spool([nul, Notes.unit("a")])
        let bench = try await scene.replay([Notes.kind])
        #expect(try bench.count("note") == 1)
        #expect(try bench.query("SELECT sqlstate FROM sluice.unit_set_aside") == ["22021"])
        await bench.finish()
        try FileManager.default.removeItem(atPath: scene.path)
    }

    @Test func `units of an unknown kind stay in the spool until a process knows it`()
        async throws
    {
        let scene = try Scene("unit_unknown")
        let later = UnitKind(
            name: "later", statement: "SELECT place, result FROM store_notes($1)")
        let units = [
            Notes.unit("a"), Notes.unit("b", kind: later), Notes.unit("c"),
            Notes.unit("d", kind: later),
        ]
        // The units share records as they happened to arrive. One more record has only the unknown
        // kind.
        try await scene.spool(units)
        try await scene.spool([Notes.unit("e", kind: later)])
        var waiting: [Int?] = []
        for _ in 0..<2 {
            let old = await Bench(
                scene.settings, SpoolTests.hasty, spool: try SpoolTests.spool(scene.path),
                unitKinds: [Notes.kind])
            try await SpoolTests.eventually { try old.count("note") == 2 }
            try await SpoolTests.eventually {
                let kept = old.ingestor.keptRecords
                return kept.unknownUnits == ["later": 3]
                    && kept.count == old.ingestor.spoolFigures?.records
            }
            waiting.append(old.metric("sluice_spool_waiting_units"))
            #expect(try old.count("sluice.unit_set_aside") == 0)
            await old.finish()
        }
        // Those of the known kind that share a record with others count too.
        #expect(waiting[0] == waiting[1] && (3...5).contains(waiting[0] ?? 0))
        let bench = try await scene.replay([Notes.kind, later])
        #expect(try bench.count("note") == 5)
        #expect(try bench.count("sluice.unit_set_aside") == 0)
        // A process that ends before it has replayed all leaves units of the known kind once more.
        let recorded = bench.metric("sluice_spool_replayed_units_total{outcome=\"recorded\"}")
        #expect(((waiting[1] ?? 0)...units.count + 1).contains(recorded ?? 0))
        #expect(bench.ingestor.keptRecords.count == 0)
        await bench.finish()
        try FileManager.default.removeItem(atPath: scene.path)
    }

    @Test func `a locked table sends units to the spool, and they are replayed`()
        async throws
    {
        let scene = try Scene("unit_locked")
        let bench = await Bench(
            scene.settings, SpoolTests.hasty, spool: try SpoolTests.spool(scene.path),
            unitKinds: [Notes.kind])
        // Spooled at first if the machine stalls.
        let isStored = try await eventually {
            let outcome = await bench.post(Notes.unit("0"))
            return outcome == .committed("stored") || outcome == .committed("same")
        }
        #expect(isStored)
        let holder = try bench.connection()
        try holder.execute("BEGIN; LOCK TABLE note IN ACCESS EXCLUSIVE MODE")
        let units = (1..<80).map { Notes.unit("\($0)", owner: "o\($0 % 9)") }
        let outcomes = try await bench.post(together: [], units).units
        #expect(outcomes.allSatisfy { $0 == .spooled })
        try holder.execute("ROLLBACK")
        try await SpoolTests.eventually { bench.ingestor.spoolFigures?.records == 0 }
        #expect(try bench.count("note") == 80)
        await bench.finish()
        try FileManager.default.removeItem(atPath: scene.path)
    }
}
