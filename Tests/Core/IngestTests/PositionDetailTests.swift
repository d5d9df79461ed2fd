import Ingest
import Postgres
import Readings
import Scanner
import TestSupport
import Testing

/// Altitude, its accuracy, speed and course of positions.
@Suite(.timeLimit(.minutes(10))) struct PositionDetailTests {
    private static func reading(_ second: Int, _ members: String) -> String {
        #"{"type":"gps","t":"2026-02-10T10:00:0\#(second)Z","lat":1,"lon":2\#(members)}"#
    }

    private static let readings = [
        reading(0, ""), reading(1, #","acc":5"#),
        reading(2, #","acc":5,"alt":-12.25,"vacc":3.5,"speed":1.32,"course":359.999999"#),
        reading(3, #","speed":0.1,"course":-1"#), reading(4, #","course":0,"alt":null"#),
        reading(5, #","speed":1.32000005245208740"#), reading(6, #","speed":"7.9","vacc":-1"#),
    ]

    /// On the fast path and, with an unknown key, beside it.
    @Test(arguments: ["", #","x":0"#])
    func `are stored once, and shown as they were sent`(more: String) async throws {
        let bench = try await Bench.fresh("details")
        let readings = Self.readings.map { "\($0.dropLast())\(more)}" }
        #expect(try await bench.post(Bodies.batch("d", readings)) == .stored(7))
        #expect(
            try await bench.post(Bodies.batch("d", Self.readings)) == .stored(0, duplicates: 7))
        #expect(
            try bench.query(
                """
                SELECT concat_ws(' ', coalesce(altitude_m::text, '-'),
                    coalesce(vertical_accuracy_m::text, '-'), coalesce(speed_m_per_s::text, '-'),
                    coalesce(course_degrees::text, '-'))
                FROM analytics.gps ORDER BY time
                """) == [
                    "- - - -", "- - - -", "-12.25 3.5 1.32 359.999999", "- - 0.1 -", "- - - 0",
                    "- - 1.32 -", "- - 7.9 -",
                ])
        #expect(
            try bench.query("SELECT speed_m_per_s::text FROM analytics.latest_position") == ["7.9"])
        await bench.finish()
    }

    /// A row's head and five columns of 8 bytes, with or without a null among them.
    @Test func `cost a row nothing that does not have them`() async throws {
        let bench = try await Bench.fresh("details_bytes")
        _ = try await bench.post(Bodies.batch("d", Self.readings))
        #expect(
            try bench.query("SELECT pg_column_size(g.*)::text FROM sluice.gps g ORDER BY t LIMIT 3")
                == ["56", "64", "88"])
        await bench.finish()
    }

    @Test func `are in a reading that the database refuses`() async throws {
        let bench = try await Bench.fresh("details_refused")
        let connection = try bench.connection()
        try connection.execute("ALTER TABLE sluice.gps ADD CHECK (lat < 0)")
        _ = try await bench.post(Bodies.batch("d", Self.readings))
        let bodies = try bench.query("SELECT convert_from(body, 'UTF8') FROM sluice.quarantine")
        #expect(bodies.count == 7)
        let again = try Bench.scan(Bodies.batch("d", bodies.sorted()))
        let first = try Bench.scan(Bodies.batch("d", Self.readings))
        #expect(
            again.deviceBatches[0].tuples(of: .gps) == first.deviceBatches[0].tuples(of: .gps))
        await bench.finish()
    }
}
