import Foundation
import Postgres
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
            try gps(day, connection)
            try vital(day, connection)
            try event(day, connection)
            try rollups(day, connection)
        }
    }

    private mutating func gps(_ day: Day, _ connection: Connection) throws {
        var row = begin(day)
        row.append(float8: double())
        row.append(float8: double())
        row.append(float8: Bool.random(using: &dice) ? nil : double())
        try connection.query("INSERT INTO sluice.gps VALUES ($1, $2, $3, $4, $5)", row)
    }

    private mutating func vital(_ day: Day, _ connection: Connection) throws {
        var row = begin(day)
        row.append(int2: .random(in: .min ... .max, using: &dice))
        row.append(float8: double())
        try connection.query("INSERT INTO sluice.vital VALUES ($1, $2, $3, $4)", row)
    }

    private mutating func event(_ day: Day, _ connection: Connection) throws {
        var row = begin(day)
        row.append(text: text())
        row.append(text: Bool.random(using: &dice) ? nil : text())
        row.append(jsonb: Bool.random(using: &dice) ? nil : json())
        try connection.query("INSERT INTO sluice.event VALUES ($1, $2, $3, $4, $5)", row)
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
        let inDay = Int64.random(in: 0..<86_400_000_000, using: &dice)
        row.append(timestamptz: Int64(day.number) * 86_400_000_000 + inDay)
        return row
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
