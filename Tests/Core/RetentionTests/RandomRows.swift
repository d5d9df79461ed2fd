import Foundation
import Postgres
import Readings
import Retention
import TestSupport

/// Rows with values that are hard to print exactly.
struct RandomRows {
    private var dice: Dice

    init(seed: UInt64) { dice = Dice(seed: seed) }

    /// Stores this many rows of each kind.
    mutating func store(_ count: Int, on day: Day, _ connection: Connection) throws {
        try connection.execute("SELECT sluice.ensure_days('\(day.text)', '\(day.text)')")
        for _ in 0..<count {
            for kind in ReadingKind.allCases { try reading(kind, day, connection) }
            try rollups(day, connection)
        }
    }

    private mutating func reading(
        _ kind: ReadingKind, _ day: Day, _ connection: Connection
    ) throws {
        var row = begin(day)
        for column in kind.schema.fieldColumns {
            let isNull = column.isOptional && Bool.random(using: &dice)
            switch column.fields[0].rule {
            case .share: row.append(int8: isNull ? nil : Int64(truncatingIfNeeded: dice.next()))
            case .number, .measure, .amount, .finite: row.append(float8: isNull ? nil : double())
            case .integer: row.append(int2: isNull ? nil : Int16(truncatingIfNeeded: dice.next()))
            case .text: row.append(text: isNull ? nil : text())
            case .object: row.append(jsonb: isNull ? nil : json())
            case .time: row.append(timestamptz: isNull ? nil : time(day))
            }
        }
        let places = (1...row.count).map { "$\($0)" }.joined(separator: ", ")
        try connection.query("INSERT INTO sluice.\(kind.name) VALUES (\(places))", row)
    }

    private mutating func rollups(_ day: Day, _ connection: Connection) throws {
        var row = begin(day)
        row.append(int4: .random(in: .min ... .max, using: &dice))
        row.append(float8: double())
        try connection.query("INSERT INTO sluice.gps_rollup VALUES ($1, $2, $3, 1, 59, $4)", row)
        try connection.query(
            """
            INSERT INTO sluice.vital_rollup VALUES ($1, $2, $3, -4, 0, 59, $4, -$4, $4, -0.0::float8)
            """, row)
    }

    private mutating func begin(_ day: Day) -> Parameters {
        var row = Parameters()
        row.append(int8: .random(in: .min ... .max, using: &dice))
        row.append(timestamptz: time(day))
        return row
    }

    private mutating func time(_ day: Day) -> Int64 {
        Int64(day.number) * 86_400_000_000 + Int64.random(in: 0..<86_400_000_000, using: &dice)
    }

    /// Any finite number: with random bits, or one of the edge cases.
    private mutating func double() -> Double {
        let edges: [Double] = [
            -0.0, 0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude,
            .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 0.1, 1 / 3, 1e23,
            9_007_199_254_740_992, .leastNormalMagnitude.nextDown,
        ]
        if dice.next() % 4 == 0, let edge = edges.randomElement(using: &dice) { return edge }
        let value = Double(bitPattern: dice.next())
        return value.isFinite ? value : 1.5
    }

    private mutating func text() -> String {
        let parts = [
            "\\", "\\.", "\\N", "\t", "\n", "\r", "\r\n", "\u{8}", "\u{B}", "\u{C}", "\u{1}",
            "\"", "'", ",", "é", "日本", "👩‍👩‍👧", "\u{FEFF}", " ", "a", "\n\\.\n", "\u{7F}",
            "\u{10FFFF}",
        ]
        let count = Int.random(in: 0...6, using: &dice)
        return (0..<count).map { _ in parts.randomElement(using: &dice) ?? "" }.joined()
    }

    private mutating func json() -> String {
        let object: [String: Any] = [text(): text(), "b": [text(), NSNull(), true]]
        let data = (try? JSONSerialization.data(withJSONObject: object)) ?? Data()
        let numbers = [
            "1.50", "-0", "1e300", "0.000000000000000000001", "123456789012345678901234567890",
        ]
        let number = numbers.randomElement(using: &dice) ?? "1"
        return "{\"n\": \(number), " + String(decoding: data, as: UTF8.self).dropFirst()
    }
}
