/// One key of the configuration: its name, what it means, what it may be, and the field it sets.
///
/// The same key stands in the environment and in the configuration file, and after `--set` on the
/// command line.
public struct Setting: Sendable {
    /// As in the environment.
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

    /// Where a value goes.
    typealias Field<Value> = any WritableKeyPath<ServiceConfiguration, Value> & Sendable

    private static let defaults = ServiceConfiguration()

    static func integer(
        _ key: String, _ field: Field<Int>,
        _ range: ClosedRange<Int>, _ summary: String
    ) -> Setting {
        Setting(
            key: key, summary: summary,
            rule: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            isSecret: false, defaultText: String(defaults[keyPath: field])
        ) { text, configuration in
            guard let value = Int(text), range.contains(value) else { return false }
            configuration[keyPath: field] = value
            return true
        }
    }

    static func bytes(
        _ key: String, _ field: Field<Int>,
        _ range: ClosedRange<Int>, _ summary: String
    ) -> Setting {
        Setting(
            key: key, summary: summary,
            rule: "bytes, or a number with KiB, MiB or GiB, from "
                + "\(Quantity.text(bytes: range.lowerBound)) to "
                + Quantity.text(bytes: range.upperBound),
            isSecret: false, defaultText: Quantity.text(bytes: defaults[keyPath: field])
        ) { text, configuration in
            guard let value = Quantity.bytes(text), range.contains(value) else { return false }
            configuration[keyPath: field] = value
            return true
        }
    }

    static func duration(
        _ key: String, _ field: Field<Duration>,
        _ range: ClosedRange<Duration>, _ summary: String
    ) -> Setting {
        Setting(
            key: key, summary: summary,
            rule: "a number with ms, s, m, h or d, from "
                + "\(Quantity.text(duration: range.lowerBound)) to "
                + Quantity.text(duration: range.upperBound),
            isSecret: false, defaultText: Quantity.text(duration: defaults[keyPath: field])
        ) { text, configuration in
            guard let value = Quantity.duration(text), range.contains(value) else { return false }
            configuration[keyPath: field] = value
            return true
        }
    }

    static func text(
        _ key: String, _ field: Field<String>, rule: String = "text without NUL",
        _ summary: String, isValid: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> Setting {
        Setting(
            key: key, summary: summary, rule: rule, isSecret: false,
            defaultText: defaults[keyPath: field]
        ) { text, configuration in
            guard !text.utf8.contains(0), isValid(text) else { return false }
            configuration[keyPath: field] = text
            return true
        }
    }

    static func flag(_ key: String, _ field: Field<Bool>, _ summary: String) -> Setting {
        Setting(
            key: key, summary: summary, rule: "true or false", isSecret: false,
            defaultText: String(defaults[keyPath: field])
        ) { text, configuration in
            guard let value = Bool(text.lowercased()) else { return false }
            configuration[keyPath: field] = value
            return true
        }
    }

    static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
        _ key: String, _ field: Field<Value>,
        _ summary: String
    ) -> Setting {
        let words = Value.allCases.map(\.rawValue).joined(separator: ", ")
        return Setting(
            key: key, summary: summary, rule: "one of: \(words)", isSecret: false,
            defaultText: defaults[keyPath: field].rawValue
        ) { text, configuration in
            guard let value = Value(rawValue: text) else { return false }
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
