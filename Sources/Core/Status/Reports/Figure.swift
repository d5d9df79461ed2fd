/// Formats numbers for people: three significant digits, a unit, no exponent.
enum Figure {
    /// Shown in place of an unknown number.
    static let none = "–"

    /// `0.4`, `7`, `98.5`, `12.3 k`, `1.20 M`.
    static func number(_ value: Double) -> String {
        scaled(value, ["", " k", " M", " G", " T", " P"], by: 1000)
    }

    /// A number per second; the caller adds the noun.
    static func rate(_ value: Double) -> String { number(value) }

    /// `512 B`, `1.20 MB`, in powers of 1000.
    static func bytes(_ value: Double) -> String {
        scaled(value, [" B", " kB", " MB", " GB", " TB", " PB"], by: 1000)
    }

    /// `0 %`, `0.4 %`, `97 %`.
    static func percent(_ share: Double) -> String {
        guard share.isFinite else { return none }
        let percent = share * 100
        if percent > 0 && percent < 0.95 { return "\(digits(percent, 1)) %" }
        return "\(digits(min(percent, 9999), 0)) %"
    }

    /// `180 µs`, `4.12 ms`, `1.30 s`.
    static func time(_ known: Double?) -> String {
        guard let known, known.isFinite else { return none }
        let seconds = max(0, known)
        if seconds == 0 { return "0 ms" }
        if seconds < 0.001 { return "\(digits(seconds * 1e6, 0)) µs" }
        if seconds < 0.9995 { return "\(significant(seconds * 1e3)) ms" }
        if seconds < 99.5 { return "\(significant(seconds)) s" }
        return span(seconds)
    }

    /// `12 s`, `3 min 20 s`, `5 h 2 min`, `12 d 3 h`.
    static func span(_ seconds: Double) -> String {
        guard seconds.isFinite else { return none }
        let whole = Int(min(max(0, seconds), 1e12).rounded())
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
        if whole < 86_400 { return "\(whole / 3600) h \(whole / 60 % 60) min" }
        return "\(whole / 86_400) d \(whole / 3600 % 24) h"
    }

    private static func scaled(_ value: Double, _ units: [String], by step: Double) -> String {
        guard value.isFinite else { return none }
        var (value, place) = (max(0, value), 0)
        // A value that would be rounded up to the next unit is written in that unit.
        while value >= step * 0.9995, place < units.count - 1 {
            value /= step
            place += 1
        }
        if place == 0, value == value.rounded() { return digits(value, 0) + units[0] }
        return (place == 0 && value < 0.1 && value > 0 ? digits(value, 2) : significant(value))
            + units[place]
    }

    /// Three significant digits, at most two of them decimals.
    private static func significant(_ value: Double) -> String {
        value < 9.995 ? digits(value, 2) : value < 99.95 ? digits(value, 1) : digits(value, 0)
    }

    /// Rounded to `count` decimals.
    private static func digits(_ value: Double, _ count: Int) -> String {
        let factor = [1.0, 10, 100][count]
        let scaled = (value * factor).rounded()
        guard scaled < 1e15 else { return "\(scaled)" }
        let whole = Int(scaled)
        if count == 0 { return "\(whole)" }
        let (head, tail) = whole.quotientAndRemainder(dividingBy: Int(factor))
        let text = String(tail)
        return "\(head)." + String(repeating: "0", count: count - text.count) + text
    }
}
