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

    /// A whole number followed by `ms`, `s`, `m`, `h` or `d`, or a mere 0; nil for anything else.
    static func duration(_ text: String) -> Duration? {
        guard let (number, unit) = split(text) else { return nil }
        if number == 0, unit.isEmpty { return .zero }
        guard
            let scale = durationUnits.first(where: { $0.name == unit })?.milliseconds,
            let milliseconds = product(number, scale)
        else { return nil }
        return .milliseconds(milliseconds)
    }

    /// A ``duration(_:)`` of whole days; nil for anything else.
    static func days(_ text: String) -> Int? {
        guard let seconds = duration(text)?.components, seconds.attoseconds == 0,
            seconds.seconds % 86_400 == 0
        else { return nil }
        return Int(seconds.seconds / 86_400)
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
