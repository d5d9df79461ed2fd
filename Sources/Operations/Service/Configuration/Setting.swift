/// One key of the configuration: its name, meaning, rule and field.
///
/// The same key works in the environment, in the configuration file and after `--set`.
public struct Setting: Sendable {
    /// The name in the environment.
    public let key: String
    /// What it does, its unit and the consequence of another value; one or two sentences.
    public let summary: String
    /// What a value must be; completes "must be …".
    public let rule: String
    /// Never shown, not even in an error.
    public let isSecret: Bool
    /// The default as it would be written; empty when there is none.
    public let defaultText: String

    /// Sets the field; false when the text breaks the rule.
    let apply: @Sendable (String, inout ServiceConfiguration) -> Bool

    /// The field that a value sets.
    typealias Field<Value> = any WritableKeyPath<ServiceConfiguration, Value> & Sendable

    private static let defaults = ServiceConfiguration()

    static func integer(
        _ key: String, _ field: Field<Int>, _ range: ClosedRange<Int>, _ summary: String
    ) -> Setting {
        value(
            key, field, rule: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            summary, text: { String($0) }
        ) { Int($0).flatMap { range.contains($0) ? $0 : nil } }
    }

    static func bytes(
        _ key: String, _ field: Field<Int>, _ range: ClosedRange<Int>, _ summary: String
    ) -> Setting {
        value(
            key, field,
            rule: "bytes, or a number with KiB, MiB or GiB, from "
                + "\(Quantity.text(bytes: range.lowerBound)) to "
                + Quantity.text(bytes: range.upperBound),
            summary, text: Quantity.text(bytes:)
        ) { Quantity.bytes($0).flatMap { range.contains($0) ? $0 : nil } }
    }

    static func duration(
        _ key: String, _ field: Field<Duration>, _ range: ClosedRange<Duration>, _ summary: String
    ) -> Setting {
        value(
            key, field,
            rule: "a number with ms, s, m, h or d, from "
                + "\(Quantity.text(duration: range.lowerBound)) to "
                + Quantity.text(duration: range.upperBound),
            summary, text: Quantity.text(duration:)
        ) { Quantity.duration($0).flatMap { range.contains($0) ? $0 : nil } }
    }

    static func text(
        _ key: String, _ field: Field<String>, rule: String = "text without NUL",
        _ summary: String, isValid: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> Setting {
        value(key, field, rule: rule, summary, text: { $0 }) {
            !$0.utf8.contains(0) && isValid($0) ? $0 : nil
        }
    }

    static func flag(_ key: String, _ field: Field<Bool>, _ summary: String) -> Setting {
        value(key, field, rule: "true or false", summary, text: { String($0) }) {
            Bool($0.lowercased())
        }
    }

    static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
        _ key: String, _ field: Field<Value>, _ summary: String
    ) -> Setting {
        let words = Value.allCases.map(\.rawValue).joined(separator: ", ")
        return value(key, field, rule: "one of: \(words)", summary, text: \.rawValue) {
            Value(rawValue: $0)
        }
    }

    /// - Parameters:
    ///   - text: writes the default.
    ///   - parse: nil when the text breaks the rule.
    private static func value<Value>(
        _ key: String, _ field: Field<Value>, rule: String, _ summary: String,
        text: (Value) -> String, parse: @escaping @Sendable (String) -> Value?
    ) -> Setting {
        Setting(
            key: key, summary: summary, rule: rule, isSecret: false,
            defaultText: text(defaults[keyPath: field])
        ) { text, configuration in
            guard let value = parse(text) else { return false }
            configuration[keyPath: field] = value
            return true
        }
    }

    static func secret(
        _ key: String, _ field: Field<Secret?>,
        rule: String, _ summary: String, isValid: @escaping @Sendable (String) -> Bool
    ) -> Setting {
        Setting(key: key, summary: summary, rule: rule, isSecret: true, defaultText: "") {
            text, configuration in
            guard isValid(text) else { return false }
            configuration[keyPath: field] = Secret(text)
            return true
        }
    }
}

/// Amounts as people write them in a configuration: `16MiB`, `30s`.
enum Quantity {
    private static let byteUnits: [(name: String, bytes: Int)] = [
        ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
    ]

    private static let durationUnits: [(name: String, milliseconds: Int)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]

    /// A whole number followed by `KiB`, `MiB`, `GiB`, `B` or nothing; nil for anything else.
    static func bytes(_ text: String) -> Int? {
        guard let (number, unit) = split(text) else { return nil }
        if unit.isEmpty { return number }
        guard let scale = byteUnits.first(where: { $0.name == unit })?.bytes else { return nil }
        return product(number, scale)
    }

    /// A whole number followed by `ms`, `s`, `m`, `h` or `d`; nil for anything else.
    static func duration(_ text: String) -> Duration? {
        guard let (number, unit) = split(text),
            let scale = durationUnits.first(where: { $0.name == unit })?.milliseconds,
            let milliseconds = product(number, scale)
        else { return nil }
        return .milliseconds(milliseconds)
    }

    /// In the largest unit that gives a whole number.
    static func text(bytes: Int) -> String {
        for unit in byteUnits where bytes > 0 && unit.bytes > 1 && bytes % unit.bytes == 0 {
            return "\(bytes / unit.bytes)\(unit.name)"
        }
        return String(bytes)
    }

    /// In the largest unit that gives a whole number; fractions of a millisecond are dropped.
    static func text(duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
        for unit in durationUnits where milliseconds > 0 && milliseconds % unit.milliseconds == 0 {
            return "\(milliseconds / unit.milliseconds)\(unit.name)"
        }
        return "\(milliseconds)ms"
    }

    private static func split(_ text: String) -> (number: Int, unit: String)? {
        let digits = text.prefix { $0 >= "0" && $0 <= "9" }
        guard let number = Int(digits) else { return nil }
        return (number, String(text[digits.endIndex...].drop { $0 == " " }))
    }

    private static func product(_ left: Int, _ right: Int) -> Int? {
        let (result, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow ? nil : result
    }
}

/// A text that may be used but never shown.
public struct Secret: Sendable, Equatable {
    private let text: String

    /// Hides `text` from descriptions, dumps and errors.
    public init(_ text: String) {
        self.text = text
    }

    /// The text itself; the caller must protect it.
    public func revealed() -> String {
        text
    }
}

extension Secret: CustomStringConvertible, CustomReflectable {
    /// A placeholder.
    public var description: String { "(hidden)" }
    /// Empty, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
