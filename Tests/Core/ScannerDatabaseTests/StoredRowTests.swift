import Postgres
import Readings
import Scanner
import ScannerSupport
import TestSupport
import Testing

/// Tuples of the scanner pass through COPY into PostgreSQL and are read back with the same bytes.
///
/// Two readings are the same when their tuples are. A replayed reading is found by comparing its
/// tuple with the one read back: one differing byte would store it twice.
@Suite(.timeLimit(.minutes(10))) struct `Stored rows` {
    @Test func `read back as the bytes that were written`() throws {
        let database = try Database()
        for seed in 0..<150 as Range<UInt64> {
            var generator = BatchGenerator(seed: seed)
            try database.check(generator.body(readings: 60, faultyOnceIn: 0))
        }
    }

    @Test func `hold every number in event metadata as numeric prints it`() throws {
        var numbers = NumberGenerator(seed: 5, exponentMax: ReadingLimits().metadataExponentMax)
        let texts = (0..<12_000).map { _ in numbers.any() }
        let database = try Database()
        for start in stride(from: 0, to: texts.count, by: 100) {
            let metadata = texts[start..<min(start + 100, texts.count)].map { "{\"n\":\($0)}" }
            try database.check(events(metadata))
        }
    }

    @Test func `hold every character in event metadata as jsonb prints it`() throws {
        var metadata = (1...0x2FF).map { "{\"\\u\(hex($0))\":\"\\u\(hex($0))\"}" }
        metadata += (0x20...0x2FF).filter { $0 != 0x22 && $0 != 0x5C }.map {
            let character = String(Unicode.Scalar(UInt32($0))!)
            return "{\"\(character)\":\"\(character)\"}"
        }
        metadata += ["\\ud83d\\ude00", "😀", "\u{FFFF}", "\u{10FFFF}", "\\uffff", "\\/", "\\\"\\\\"]
            .map {
                "{\"\($0)\":[\"\($0)\",{\"x\":\"\($0)\"}]}"
            }
        try Database().check(events(metadata))
    }

    @Test func `hold objects with their keys as jsonb sorts them`() throws {
        try Database().check(
            events([
                "{}", "{\"a\":{}}", "{\"a\":[]}",
                "{\"b\":1,\"a\":2,\"aa\":3,\"\":4,\"B\":5,\"é\":6,\"b\":7,\"zz\":8}",
                "{\"a\":1,\"a\":2,\"a\":{\"a\":3,\"a\":4}}",
                "{ \"x\" : [ 1 , [ ] , { } , null , true ] }",
                "{\"\\u0061\":1,\"a\":2,\"\\n\":3,\"\\u000a\":4}",
                "{\"k\":" + String(repeating: "[", count: 61) + String(repeating: "]", count: 61)
                    + "}",
                "{\"k\":\"" + String(repeating: "x", count: 16_000) + "\"}",
                "{" + (0..<1200).map { "\"k\($0 * 7919 % 1200)\":\($0)" }.joined(separator: ",")
                    + "}",
                "{\"n\":" + String(repeating: "9", count: 15_000) + "}",
                "{\"n\":0." + String(repeating: "9", count: 15_000) + "e-400}",
            ]))
    }

    /// Longer numbers would make COPY fail, and with it a whole group of batches.
    @Test func `hold the longest numbers that numeric can`() throws {
        func ones(_ count: Int) -> String { String(repeating: "1", count: count) }
        let longest = [
            "{\"n\":0.\(ones(15_983))e-400}", "{\"n\":0.\(ones(16_365))e-18}",
            "{\"n\":0.\(ones(16_370))}", "{\"n\":\(ones(16_370))e400}",
            "{\"n\":0.\(ones(16_360))e400}",
        ]
        try Database().check(events(longest))
        for tooLong in ["{\"n\":0.\(ones(15_984))e-400}", "{\"n\":0.\(ones(16_365))e-19}"] {
            let body = events([tooLong])
            let verdict = Verdict(
                ofFreshScannerOn: body, chunks: [body.count], now: BatchGenerator.now)
            #expect(verdict.batch?.problems.map(\.reason) == [.metadataNumberOutOfRange])
        }
    }

    private func events(_ metadata: [String]) -> [UInt8] {
        let readings = metadata.map {
            "{\"type\":\"event\",\"t\":\"2026-02-10T10:00:00Z\",\"label\":\"a\",\"metadata\":\($0)}"
        }
        let data = readings.joined(separator: ",")
        return Array("{\"metadata\":{\"device_id\":\"d\"},\"data\":[\(data)]}".utf8)
    }

    private func hex(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// Temporary tables of all kinds on one connection.
    private struct Database {
        private let connection: Connection

        init() throws {
            connection = try TestCluster.shared.freshConnection(named: "rows", migrated: false)
            for kind in ReadingKind.allCases {
                let fields = kind.schema.fieldColumns.map { ", \($0.quotedName) \($0.sqlType)" }
                    .joined()
                try connection.execute(
                    "CREATE TEMP TABLE stored_\(kind.name) "
                        + "(device_key bigint, t timestamptz\(fields))")
            }
        }

        func check(_ body: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) throws {
            let verdict = Verdict(
                ofFreshScannerOn: body, chunks: [body.count], now: BatchGenerator.now)
            let batch = try #require(verdict.batch, sourceLocation: sourceLocation)
            #expect(batch.problems == [], sourceLocation: sourceLocation)
            for kind in ReadingKind.allCases {
                let written = batch.devices.flatMap { $0[kind].tuples }
                let read = try roundTrip(written, kind: kind)
                if read != written {
                    let place = zip(read, written).enumerated().first { $1.0 != $1.1 }?.offset ?? 0
                    let window = max(0, place - 60)
                    Issue.record(
                        """
                        \(kind.name) differs at \(place):
                        written \(Difference.escaped(Array(written.dropFirst(window).prefix(160))))
                        read    \(Difference.escaped(Array(read.dropFirst(window).prefix(160))))
                        """, sourceLocation: sourceLocation)
                }
            }
        }

        private func roundTrip(_ tuples: [UInt8], kind: ReadingKind) throws -> [UInt8] {
            try connection.execute("TRUNCATE stored_\(kind.name)")
            try connection.copy("COPY stored_\(kind.name) FROM STDIN (FORMAT binary)") {
                (_, writer) throws(PostgresError) in
                try writer.write(tuples)
            }
            var read: [UInt8] = []
            try connection.copyOut("COPY stored_\(kind.name) TO STDOUT (FORMAT binary)") {
                read += $0
            }
            // A header of 19 bytes before, a field count of −1 after.
            return Array(read.dropFirst(19).dropLast(2))
        }
    }
}
