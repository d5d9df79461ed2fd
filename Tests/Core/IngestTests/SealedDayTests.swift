import Foundation
import Postgres
import Readings
import Scanner
import TestSupport
import Testing

@testable import Ingest

/// Late readings of sealed days: exactly once, and without the foreign partitions.
@Suite(.timeLimit(.minutes(10))) struct SealedDayTests {
    private static let day = 86_400
    /// Seconds before the bench's first time at which `2026-02-03` begins.
    private static let old = -7 * day
    /// The UTC day of ``old`` and of the hours behind it.
    private static let date = "2026-02-03"

    private static func readings(_ start: Int, _ count: Int) -> [String] {
        (0..<count).flatMap { n in
            let second = start + n * 10
            return [
                Bodies.vital(second, Double(second % 97)),
                Bodies.gps(second, Double(second % 89) / 7),
                Bodies.event(second, "{\"n\":\(second)}"),
            ]
        }
    }

    private static func seal(_ bench: Bench, _ day: String = date) throws {
        let connection = try bench.connection()
        defer { connection.close() }
        try connection.query("DELETE FROM sluice.rollup_due")
        try SealedDay.seal(day, on: connection)
    }

    private static func count(_ bench: Bench, _ sql: String) throws -> Int {
        let connection = try bench.connection()
        defer { connection.close() }
        return Int(try connection.query("SELECT count(*) FROM \(sql)").int64(0, 0))
    }

    private static func all(_ bench: Bench) throws -> Int {
        try count(bench, "sluice.vital") + count(bench, "sluice.gps") + count(bench, "sluice.event")
    }

    @Test func `the old day is the one that the tests name`() {
        #expect(Bodies.time(Self.old).hasPrefix(Self.date))
    }

    @Test(arguments: [1, 4]) func `late readings are stored once, sealed or not`(lanes: Int)
        async throws
    {
        var configuration = Bench.unhurried
        configuration.lanes = lanes
        let bench = try await Bench.fresh("sealed", configuration)
        let known = Self.readings(Self.old, 20)
        #expect(try await bench.post(Bodies.batch("d", known)) == .stored(60))
        #expect(try await bench.post(Bodies.batch("d", Self.readings(0, 5))) == .stored(15))
        // The lanes do not know yet that the day is sealed.
        try Self.seal(bench)
        let more = Self.readings(Self.old, 30)
        #expect(try await bench.post(Bodies.batch("d", more)) == .stored(30, duplicates: 60))
        #expect(try await bench.post(Bodies.batch("d", more)) == .stored(0, duplicates: 90))
        #expect(try Self.all(bench) == 105)
        // Of another device, which was never seen.
        #expect(try await bench.post(Bodies.batch("new", known)) == .stored(60))
        #expect(try await bench.post(Bodies.batch("new", known)) == .stored(0, duplicates: 60))
        #expect(try Self.count(bench, "sluice_sealed.changed") > 0)
        // Packed together with the others, they are found as well.
        let connection = try bench.connection()
        _ = try await eventually {
            _ = try connection.query("SELECT sluice.merge_late()")
            return try Self.count(bench, "sluice_sealed.changed") == 0
        }
        #expect(try await bench.post(Bodies.batch("new", known)) == .stored(0, duplicates: 60))
        #expect(try await bench.post(Bodies.batch("d", more)) == .stored(0, duplicates: 90))
        // Nor that it is live again.
        try SealedDay.unseal(Self.date, on: connection)
        let most = Self.readings(Self.old, 31)
        #expect(try await bench.post(Bodies.batch("d", most)) == .stored(3, duplicates: 90))
        #expect(try await bench.post(Bodies.batch("new", most)) == .stored(33, duplicates: 60))
        #expect(try Self.all(bench) == 93 + 15 + 93)
        #expect(try Self.count(bench, "sluice_partitions.vital_20260203") == 62)
        await bench.finish()
    }

    @Test func `a batch over live and sealed days is cut between them`() async throws {
        let bench = try await Bench.fresh("sealed")
        let days = stride(from: Self.old, through: 0, by: Self.day)
        let first = days.flatMap { Self.readings($0, 3) }
        #expect(try await bench.post(Bodies.batch("d", first)) == .stored(first.count))
        for date in ["2026-02-03", "2026-02-05", "2026-02-06"] { try Self.seal(bench, date) }
        let second = days.flatMap { Self.readings($0 - 10, 5) }
        #expect(
            try await bench.post(Bodies.batch("d", second))
                == .stored(second.count - first.count, duplicates: first.count))
        #expect(
            try await bench.post(Bodies.batch("d", second)) == .stored(0, duplicates: second.count))
        #expect(try Self.all(bench) == second.count)
        for date in ["20260203", "20260205", "20260206"] {
            #expect(
                try Self.count(bench, "sluice_sealed.packed_vital_\(date) WHERE readings = 1") == 2)
        }
        await bench.finish()
    }

    @Test func `lanes do not need the loop`() async throws {
        let bench = try await Bench.fresh("sealed")
        let known = Self.readings(Self.old, 20) + Self.readings(Self.old + Self.day, 3)
        #expect(try await bench.post(Bodies.batch("d", known)) == .stored(69))
        try Self.seal(bench)
        try Self.seal(bench, "2026-02-04")
        let connection = try bench.connection()
        try connection.execute("ALTER SERVER sluice_loop OPTIONS (SET port '1')")
        #expect(throws: PostgresError.self) {
            try connection.query("SELECT count(*) FROM sluice.gps")
        }
        let more = Self.readings(Self.old, 30) + Self.readings(Self.old + 3600, 3)
        #expect(try await bench.post(Bodies.batch("d", more)) == .stored(39, duplicates: 60))
        // The way to the next position changes, which is in the next hour, or day.
        let due = try connection.query(
            """
            SELECT string_agg(DISTINCT (hour AT TIME ZONE 'UTC')::text, ' ') FROM sluice.rollup_due
            WHERE kind = 'gps'
            """)
        #expect(
            due.string(0, 0).split(separator: " ").filter { $0.hasPrefix("2026") }
                == ["2026-02-03", "2026-02-03", "2026-02-04"])
        await bench.finish()
    }

    // MARK: Spans

    @Test func `spans are cut at sealed days, and no live part goes over one`() async throws {
        let bench = try await Bench.fresh("sealed")
        #expect(
            try await bench.post(
                Bodies.batch(
                    "d",
                    stride(from: Self.old, through: 0, by: Self.day).map { Bodies.vital($0) }))
                == .stored(8))
        for date in ["2026-02-04", "2026-02-06"] { try Self.seal(bench, date) }
        let connection = try bench.connection()
        let days = try SealedDays(on: connection)
        let first = Timestamp(microseconds: Bench.now.microseconds).day - 8
        func time(_ day: Int32, _ hour: Int) -> Int64 {
            Int64(first + day) * Timestamp.microsecondsPerDay + Int64(hour) * 3_600_000_000
        }
        func span(_ key: Int64, _ start: Int64, _ stop: Int64) -> Deduplication.Span {
            Deduplication.Span(deviceKey: key, comparedKey: key, first: start, last: stop)
        }
        // Day 0 is 02-03; days 1 and 3 are sealed.
        let parts = days.parts(
            of: [
                span(1, time(0, 23), time(4, 1)), span(1, time(1, 5), time(1, 6)),
                span(2, time(3, 5), time(3, 6)), span(2, time(3, 8), time(3, 9)),
            ], .vital)
        func part(_ day: Int32?, _ spans: Deduplication.Span...) -> SealedDays.Part {
            SealedDays.Part(day: day, spans: spans)
        }
        #expect(parts.count == 5)
        #expect(parts[0] == part(nil, span(1, time(0, 23), time(1, 0) - 1)))
        #expect(parts[1] == part(nil, span(1, time(2, 0), time(3, 0) - 1)))
        #expect(parts[2] == part(nil, span(1, time(4, 0), time(4, 1))))
        #expect(parts[3] == part(first + 1, span(1, time(1, 0), time(2, 0) - 1)))
        #expect(
            parts[4]
                == part(
                    first + 3, span(1, time(3, 0), time(4, 0) - 1), span(2, time(3, 5), time(3, 9)))
        )
        let newer = [span(1, time(5, 0), time(6, 0))]
        #expect(days.parts(of: newer, .vital) == [SealedDays.Part(day: nil, spans: newer)])
        #expect(days.parts(of: [], .gps) == [])
        await bench.finish()
    }
}
