import Foundation
import Ingest
import Postgres
import Readings
import SpoolLog
import TestSupport
import Testing

/// Which version of a thing stays: the one that was acknowledged last, whatever the clocks say.
@Suite(.timeLimit(.minutes(10))) struct LateUnitTests {
    private static let kind = UnitKind(
        name: "form", statement: "SELECT place, result FROM store_forms($1, $2, $3)")

    /// As ``UnitKind`` wants it; the table `call` records the function's arguments.
    private static let schema = """
        CREATE TABLE form (id text PRIMARY KEY, body text NOT NULL, stamp timestamptz NOT NULL);
        CREATE TABLE call (number bigserial, body text, stamp timestamptz, late boolean);
        CREATE FUNCTION store_forms(payloads text[], stamps timestamptz[], late boolean[])
        RETURNS TABLE (place int, result text) LANGUAGE plpgsql AS $$
        BEGIN
            FOR index IN 1 .. cardinality(payloads) LOOP
                INSERT INTO call (body, stamp, late)
                VALUES (payloads[index]::jsonb ->> 'body', stamps[index], late[index]);
                INSERT INTO form AS f VALUES (payloads[index]::jsonb ->> 'id',
                    payloads[index]::jsonb ->> 'body', stamps[index])
                ON CONFLICT (id) DO UPDATE
                SET body = excluded.body, stamp = greatest(f.stamp, excluded.stamp)
                WHERE NOT late[index] OR f.stamp < excluded.stamp;
                place := index;
                result := CASE WHEN found THEN 'written' ELSE 'older' END;
                RETURN NEXT;
            END LOOP;
        END
        $$;
        """

    private static let hourAgo = Timestamp(microseconds: Bench.now.microseconds - 3_600_000_000)

    private static func unit(_ body: String) -> WorkUnit {
        WorkUnit(kind: kind, owner: "o", payload: "{\"id\":\"a\",\"body\":\"\(body)\"}")
    }

    private static func database() throws -> ConnectionSettings {
        let settings = try TestCluster.shared.freshDatabase(named: "forms")
        try Bench.run(schema, on: settings)
        return settings
    }

    @Test func `a clock that is set back loses no version, and stamps rise`() async throws {
        let bench = await Bench(try Self.database(), Bench.single)
        #expect(await bench.post(Self.unit("1")) == .committed("written"))
        bench.set(clock: Self.hourAgo)
        for body in ["2", "3"] {
            #expect(await bench.post(Self.unit(body)) == .committed("written"))
        }
        #expect(try bench.query("SELECT body FROM form") == ["3"])
        #expect(
            try bench.query(
                "SELECT body || late FROM call ORDER BY stamp") == ["1false", "2false", "3false"])
        #expect(try bench.query("SELECT count(DISTINCT stamp)::text FROM call") == ["3"])
        await bench.finish()
    }

    @Test func `a version from a node whose clock is behind stays`() async throws {
        let settings = try Self.database()
        let (ahead, behind) = (await Bench(settings), await Bench(settings))
        behind.set(clock: Self.hourAgo)
        for round in 0..<3 {
            #expect(await ahead.post(Self.unit("a\(round)")) == .committed("written"))
            #expect(await behind.post(Self.unit("b\(round)")) == .committed("written"))
            #expect(try ahead.query("SELECT body FROM form") == ["b\(round)"])
        }
        // No version decreases the stamp.
        #expect(
            try ahead.query("SELECT (stamp = (SELECT max(stamp) FROM call))::text FROM form")
                == ["true"])
        await ahead.finish()
        await behind.finish()
    }

    /// A unit that is replayed from a spool is late. It replaces only versions that were received
    /// before it.
    @Test func `a spooled version replaces older ones only`() async throws {
        let settings = try Self.database()
        let path = SpoolTests.directory()
        let live = await Bench(settings)
        #expect(await live.post(Self.unit("first")) == .committed("written"))
        let away = await Bench(
            SpoolTests.nowhere, SpoolTests.hasty, spool: try SpoolTests.spool(path),
            unitKinds: [Self.kind])
        away.set(clock: Timestamp(microseconds: Bench.now.microseconds + 1_000_000))
        #expect(await away.post(Self.unit("spooled")) == .spooled)
        await away.finish()
        let copy = path + "-copy"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        for (path, last) in [(path, "spooled"), (copy, "live")] {
            if last == "live" {
                live.set(clock: Timestamp(microseconds: Bench.now.microseconds + 2_000_000))
                #expect(await live.post(Self.unit("live")) == .committed("written"))
            }
            let back = await Bench(
                settings, SpoolTests.hasty, spool: try SpoolTests.spool(path),
                unitKinds: [Self.kind])
            try await SpoolTests.eventually { back.ingestor.spoolFigures?.records == 0 }
            #expect(try back.query("SELECT body FROM form") == [last])
            await back.finish()
            try FileManager.default.removeItem(atPath: path)
        }
        #expect(
            try live.query("SELECT DISTINCT late::text FROM call WHERE body = 'spooled'")
                == ["true"])
        await live.finish()
    }

    @Test func `a unit that is sent again after a lost COMMIT answer is late`() async throws {
        let settings = try Self.database()
        let cutter = try CommitCutter(to: settings)
        defer { cutter.stop() }
        let bench = await Bench(cutter.settings, Bench.single)
        cutter.cutNextCommit()
        #expect(await bench.post(Self.unit("1")) == .committed("older"))
        #expect(cutter.cuts == 1)
        let direct = try Connection.open(settings, deadline: .now + .seconds(60))
        let calls = try direct.query("SELECT body || late FROM call ORDER BY number")
        #expect((0..<calls.count).map { calls.string($0, 0) } == ["1false", "1true"])
        direct.close()
        await bench.finish()
    }
}
