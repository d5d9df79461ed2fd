import Foundation
import Ingest
import Postgres
import Readings
import SpoolLog
import TestSupport
import Testing

/// Who is to blame for a refusal: one reading, the table, or the moment.
@Suite(.timeLimit(.minutes(10))) struct BlameTests {
    private static func raise(_ code: String, when condition: String, on table: String) -> String {
        """
        CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = TG_ARGV[0]; END $$;
        CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON \(table) FOR EACH ROW
        WHEN (\(condition)) EXECUTE FUNCTION refuse('\(code)')
        """
    }

    /// The server refuses every transaction that needs a number, with the code that it also has for
    /// rows that are too large.
    @Test func `a server that protects itself from wraparound gets everything later`() async throws
    {
        let settings = try TestCluster.shared.freshDatabase(named: "wraparound")
        let path = SpoolTests.directory()
        let bench = await Bench(settings, SpoolTests.hasty, spool: try SpoolTests.spool(path))
        try await bench.store(Bodies.batch("d", [Bodies.vital(0)]))
        let tables = ["sluice.device_state", "sluice.node_heartbeat"]
        let other = try bench.connection()
        for table in tables {
            try other.execute(Self.raise("54000", when: "true", on: table))
        }
        for number in 1...10 {
            #expect(
                try await bench.post(Bodies.batch("d\(number % 3)", [Bodies.vital(number)]))
                    == .spooled)
        }
        for table in tables { try other.execute("DROP TRIGGER refuse ON \(table)") }
        try await SpoolTests.eventually { bench.ingestor.spoolFigures?.records == 0 }
        #expect(try bench.count("sluice.vital") == 11)
        #expect(try bench.count("sluice.quarantine") == 0)
        await bench.finish()
        try FileManager.default.removeItem(atPath: path)
    }

    @Test func `a row too large for an index is quarantined while others are stored`() async throws
    {
        let bench = try await Bench.fresh("row_limit", Bench.single)
        #expect(try await bench.post(Bodies.batch("d", [Bodies.event(0)])) == .stored(1))
        let other = try bench.connection()
        try other.execute("CREATE INDEX ON sluice.event (metadata)")
        // Text that does not compress to a third of a page.
        let digits = (0..<700).map { _ in String(UInt64.random(in: 0...(.max)), radix: 36) }
        let readings = (1...20).map {
            $0 == 7 ? Bodies.event($0, "{\"a\":\"\(digits.joined())\"}") : Bodies.event($0)
        }
        let outcomes = try await bench.post(
            together: [Bodies.batch("d", readings), Bodies.batch("e", [Bodies.event(1)])], []
        ).batches
        #expect(
            outcomes == [.stored(19, refused: LaneRefusals(.refusedByDatabase, 1)), .stored(1)])
        await bench.finish()
    }

    /// No reading has a value for it, so none can satisfy it.
    @Test func `a required column that an operator added is the table's fault`() async throws {
        let bench = try await Bench.fresh("required", Bench.single)
        #expect(try await bench.post(Bodies.batch("d", [Bodies.vital(0)])) == .stored(1))
        let other = try bench.connection()
        try other.execute(
            """
            ALTER TABLE sluice.vital ADD COLUMN site text NOT NULL DEFAULT 'here';
            ALTER TABLE sluice.vital ALTER COLUMN site DROP DEFAULT
            """)
        let body = Bodies.batch("d", (1...5).map { Bodies.vital($0) })
        #expect(try await bench.post(body) == .refused(sqlState: "23502"))
        #expect(try bench.count("sluice.quarantine") == 0)
        // Readings of other tables are not concerned.
        let outcomes = try await bench.post(
            together: [body, Bodies.batch("e", [Bodies.gps(1)])], []
        ).batches
        #expect(outcomes == [.refused(sqlState: "23502"), .stored(1)])
        try other.execute("ALTER TABLE sluice.vital DROP COLUMN site")
        #expect(try await bench.post(body) == .stored(5))
        // A column that readings have is a reading's own fault.
        try other.execute("ALTER TABLE sluice.gps ALTER COLUMN acc SET NOT NULL")
        let gps = "{\"t\":\"\(Bodies.time(9))\",\"type\":\"gps\",\"lat\":1,\"lon\":2}"
        #expect(
            try await bench.post(Bodies.batch("d", [gps, Bodies.gps(8)]))
                == .stored(1, refused: LaneRefusals(.refusedByDatabase, 1)))
        await bench.finish()
    }

    @Test func `one device that a trigger fails for costs no other`() async throws {
        let bench = try await Bench.fresh("one_fails", Bench.single)
        for device in 0..<8 {
            #expect(
                try await bench.post(Bodies.batch("d\(device)", [Bodies.vital(0)])) == .stored(1))
        }
        let other = try bench.connection()
        try other.execute(
            Self.raise(
                "XX001", when: "new.device_key = \(DeviceKey(of: "d3", user: "d3").value)",
                on: "sluice.device_state"))
        let outcomes = try await bench.post(
            together: (0..<8).map { Bodies.batch("d\($0)", [Bodies.vital(1)]) }, []
        ).batches
        for (device, outcome) in outcomes.enumerated() {
            #expect(
                outcome == (device == 3 ? .refused(sqlState: "XX001") : .stored(1)), "\(device)")
        }
        await bench.finish()
    }
}
