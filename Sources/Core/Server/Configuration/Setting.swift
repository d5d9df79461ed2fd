/// One key of the configuration: its name, meaning, rule and field.
///
/// The same key works in the environment, in the configuration file and after `--set`.
public struct Setting: Sendable {
    /// The name in the environment. Begins with `SLUICE_`.
    public let key: String
    /// A name that it had before; nil: none. It is still read, with a warning.
    public private(set) var formerKey: String?
    /// Added to a text that was given with the former name: the unit that it implied.
    private(set) var formerUnit = ""
    /// What it does, its unit and the consequence of another value; one or two sentences.
    public let summary: String
    /// What a value must be; completes "must be …".
    public let rule: String
    /// Never shown, not even in an error.
    public let isSecret: Bool
    /// The default as it would be written; empty when there is none, or when it follows from other
    /// settings.
    public let defaultText: String
    /// The value in force where none is given.
    private(set) var derived: @Sendable (ServiceConfiguration) -> String

    /// Sets the field; false when the text breaks the rule.
    let apply: @Sendable (String, inout ServiceConfiguration) -> Bool

    /// The setting that names a file with the value; nil: the value is no secret.
    var fileKey: String? { isSecret ? key + Self.fileSuffix : nil }
    /// As ``fileKey``, with the former name.
    var formerFileKey: String? { isSecret ? formerKey.map { $0 + Self.fileSuffix } : nil }
    /// All names under which it is read, those that win first.
    var names: [String] { [key, fileKey, formerKey, formerFileKey].compactMap(\.self) }

    private static let fileSuffix = "_FILE"

    /// The setting with a former name.
    ///
    /// - Parameter unit: is added to a whole number that was given with the former name.
    public func formerly(_ key: String, unit: String = "") -> Setting {
        var setting = self
        setting.formerKey = key
        setting.formerUnit = unit
        return setting
    }

    /// A text that was given with the former name, as the present one is written.
    func modern(_ text: String) -> String {
        !formerUnit.isEmpty && text.allSatisfy(\.isNumber) ? text + formerUnit : text
    }

    /// The field that a value sets.
    public typealias Field<Value> = any WritableKeyPath<ServiceConfiguration, Value> & Sendable

    private static let defaults = ServiceConfiguration()

    /// A whole number in this range.
    public static func integer(
        _ key: String, _ field: Field<Int>, _ range: ClosedRange<Int>, _ summary: String
    ) -> Setting {
        value(
            key, field, rule: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            summary, text: { String($0) }
        ) { Int($0).flatMap { range.contains($0) ? $0 : nil } }
    }

    /// A number of bytes in this range.
    public static func bytes(
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

    /// A length of time in this range.
    public static func duration(
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

    /// A length of time in whole days, as their number.
    public static func days(
        _ key: String, _ field: Field<Int>, _ range: ClosedRange<Int>, _ summary: String
    ) -> Setting {
        value(
            key, field, rule: "days such as 90d, from \(range.lowerBound)d to \(range.upperBound)d",
            summary, text: { "\($0)d" }
        ) { text in
            Quantity.days(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A length of time in whole days, as their number. Without a value, others decide.
    static func days(
        _ key: String, _ field: Field<Int?>, _ range: ClosedRange<Int>,
        derived: @escaping @Sendable (ServiceConfiguration) -> Int, _ summary: String
    ) -> Setting {
        var setting = value(
            key, field, rule: "days such as 90d, from \(range.lowerBound)d to \(range.upperBound)d",
            summary, text: { $0.map { "\($0)d" } ?? "" }
        ) { text -> Int?? in
            guard let days = Quantity.days(text), range.contains(days) else { return nil }
            return .some(days)
        }
        setting.derived = { "\(derived($0))d" }
        return setting
    }

    /// A text without NUL that `isValid` accepts.
    public static func text(
        _ key: String, _ field: Field<String>, rule: String = "text without NUL",
        _ summary: String, isValid: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> Setting {
        value(key, field, rule: rule, summary, text: { $0 }) {
            !$0.utf8.contains(0) && isValid($0) ? $0 : nil
        }
    }

    /// True or false.
    public static func flag(_ key: String, _ field: Field<Bool>, _ summary: String) -> Setting {
        value(key, field, rule: "true or false", summary, text: { String($0) }) {
            Bool($0.lowercased())
        }
    }

    /// One of the values of an enumeration.
    public static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
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
        let defaultText = text(defaults[keyPath: field])
        return Setting(
            key: key, summary: summary, rule: rule, isSecret: false, defaultText: defaultText,
            derived: { _ in defaultText }
        ) { text, configuration in
            guard let value = parse(text) else { return false }
            configuration[keyPath: field] = value
            return true
        }
    }

    /// A text that is never shown, and that `isValid` accepts.
    public static func secret(
        _ key: String, _ field: Field<Secret?>,
        rule: String, _ summary: String, isValid: @escaping @Sendable (String) -> Bool
    ) -> Setting {
        Setting(
            key: key, summary: summary, rule: rule, isSecret: true, defaultText: "",
            derived: { _ in "" }
        ) { text, configuration in
            guard isValid(text) else { return false }
            configuration[keyPath: field] = Secret(text)
            return true
        }
    }
}
