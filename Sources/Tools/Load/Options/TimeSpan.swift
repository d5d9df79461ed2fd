public import ArgumentParser

/// A length of time as people write it: `500ms`, `30s`, `1m30s`, `2h`.
public struct TimeSpan: ExpressibleByArgument, Sendable, Equatable, CustomStringConvertible {
    /// Not negative.
    public var seconds: Double

    /// - Parameter seconds: not negative.
    public init(seconds: Double) {
        self.seconds = seconds
    }

    private static let units: [(name: String, seconds: Double)] = [
        ("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1), ("m", 60), ("h", 3600),
    ]

    /// Nil for an invalid text.
    public init?(argument: String) {
        var rest = argument[...]
        var sum = 0.0
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            rest = rest.dropFirst(digits.count)
            let name = rest.prefix { $0.isLetter }
            rest = rest.dropFirst(name.count)
            guard let value = Self.number(digits),
                let unit = Self.units.first(where: { $0.name == name })
            else { return nil }
            sum += value * unit.seconds
        }
        guard !argument.isEmpty else { return nil }
        seconds = sum
    }

    /// Accepts no signs, exponents and names such as `inf`, unlike Swift's own conversion.
    static func number(_ text: Substring) -> Double? {
        guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) else { return nil }
        return Double(text)
    }

    /// A short form that can be parsed again: `1m30s`.
    public var description: String {
        func text(_ value: Double) -> String {
            value == value.rounded() && value < 1e15 ? String(Int(value)) : String(value)
        }
        if seconds > 0, seconds < 1 { return text(seconds * 1e3) + "ms" }
        guard seconds >= 60, seconds == seconds.rounded(), seconds < 1e9 else {
            return text(seconds) + "s"
        }
        let whole = Int(seconds)
        let parts = [(whole / 3600, "h"), (whole / 60 % 60, "m"), (whole % 60, "s")]
        return parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined()
    }

    /// The default in the help.
    public var defaultValueDescription: String { description }
}
