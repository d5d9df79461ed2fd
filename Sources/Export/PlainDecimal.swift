extension Double {
    /// The shortest decimal that is read as this number again, without an exponent. Finite numbers
    /// only.
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
