import JSONText
import Readings

/// Produces the text of a track format. Its members are called in the order in which they are
/// declared.
protocol TrackWriter {
    var limits: TrackCutter.Limits { get }
    var head: String { get }
    /// Starts a device's track.
    mutating func begin(_ device: String, of user: String) -> String
    mutating func write(_ step: TrackCutter.Step) -> String
    /// Ends the device's track, with these last steps.
    mutating func end(_ steps: [TrackCutter.Step]) -> String
    var tail: String { get }
}

extension Double {
    /// The shortest decimal that parses to this number, without an exponent. Finite numbers only.
    var plainDecimal: String {
        precondition(isFinite, "BUG: a number without digits")
        let text = description
        guard let mark = text.firstIndex(of: "e"),
            let exponent = Int(text[text.index(after: mark)...])
        else { return text }
        let sign = text.hasPrefix("-") ? "-" : ""
        let mantissa = text[..<mark].drop { $0 == "-" }
        let whole = mantissa.prefix { $0 != "." }
        let fraction = mantissa.dropFirst(whole.count + 1)
        let digits = String(whole + fraction)
        let point = whole.count + exponent
        if point <= 0 {
            return sign + "0." + String(repeating: "0", count: -point) + digits
        }
        if point >= digits.count {
            return sign + digits + String(repeating: "0", count: point - digits.count)
        }
        return sign + digits.prefix(point) + "." + digits.dropFirst(point)
    }
}
