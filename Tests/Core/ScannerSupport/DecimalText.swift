/// A JSON number as decimal digits, never converted to binary.
///
/// Its value is `digits` × 10^(`exponent` − `fractionDigits`).
struct DecimalText {
    let isNegative: Bool
    /// Every digit before the exponent, including leading and trailing zeros; values 0…9.
    let digits: [UInt8]
    let fractionDigits: Int
    /// The exponent as written, 0 without one; clamped at ±10⁹.
    let exponent: Int

    /// - Parameter text: one number that follows JSON's grammar.
    init(_ text: some Sequence<UInt8>) {
        var isNegative = false
        var digits: [UInt8] = []
        var fractionDigits = 0
        var exponent = 0
        var exponentIsNegative = false
        var part = Part.integer
        for byte in text {
            switch (byte, part) {
            case (UInt8(ascii: "."), _): part = .fraction
            case (UInt8(ascii: "e"), _), (UInt8(ascii: "E"), _): part = .exponent
            case (UInt8(ascii: "+"), _): break
            case (UInt8(ascii: "-"), .exponent): exponentIsNegative = true
            case (UInt8(ascii: "-"), _): isNegative = true
            case (_, .exponent):
                exponent = min(exponent * 10 + Int(byte - UInt8(ascii: "0")), 1_000_000_000)
            default:
                digits.append(byte - UInt8(ascii: "0"))
                if part == .fraction { fractionDigits += 1 }
            }
        }
        self.isNegative = isNegative
        self.digits = digits
        self.fractionDigits = fractionDigits
        self.exponent = exponentIsNegative ? -exponent : exponent
    }

    private enum Part {
        case integer, fraction, exponent
    }

    /// The exact whole number, whatever its form.
    var whole: Whole {
        var significant = digits
        var power = exponent - fractionDigits
        while significant.last == 0 {
            significant.removeLast()
            power += 1
        }
        let leadingZeros = significant.prefix { $0 == 0 }.count
        significant.removeFirst(leadingZeros)
        if significant.isEmpty { return .number(0) }
        if power < 0 { return .notWhole }
        if significant.count + power > 18 { return .huge }
        var number = significant.reduce(0) { $0 * 10 + Int($1) }
        for _ in 0..<power { number *= 10 }
        return .number(isNegative ? -number : number)
    }

    enum Whole: Equatable {
        case number(Int)
        /// Whole, but of more than 18 digits.
        case huge
        case notWhole
    }

    /// Bytes by which ``plain`` is longer than the written number; 0 if it is shorter.
    static func growth(of text: some Collection<UInt8>) -> Int {
        max(0, DecimalText(text).plain.count - text.count)
    }

    /// All digits written out, as PostgreSQL's `numeric` prints a value that it has read: no
    /// exponent, as many fraction digits as the written form asks for, no sign on zero.
    var plain: [UInt8] {
        let pointAt = digits.count - fractionDigits + exponent
        var integer: [UInt8]
        var fraction: [UInt8]
        if pointAt <= 0 {
            integer = []
            fraction = [UInt8](repeating: 0, count: -pointAt) + digits
        } else if pointAt >= digits.count {
            integer = digits + [UInt8](repeating: 0, count: pointAt - digits.count)
            fraction = []
        } else {
            integer = Array(digits[..<pointAt])
            fraction = Array(digits[pointAt...])
        }
        while integer.first == 0 { integer.removeFirst() }
        if integer.isEmpty { integer = [0] }
        var plain: [UInt8] = []
        if isNegative && digits.contains(where: { $0 != 0 }) { plain.append(UInt8(ascii: "-")) }
        plain += integer.map { $0 + UInt8(ascii: "0") }
        if !fraction.isEmpty {
            plain.append(UInt8(ascii: "."))
            plain += fraction.map { $0 + UInt8(ascii: "0") }
        }
        return plain
    }
}
