/// JSON numbers of every shape, as text.
public struct NumberGenerator: Sendable {
    var random: SeededGenerator
    var exponentMax: Int
    /// Bytes by which the numbers of ``any()`` may still grow when they are written out.
    var growthLeft = Int.max

    /// - Parameter exponentMax: the largest exponent that ``any()`` may write.
    public init(seed: UInt64, exponentMax: Int = Int.max) {
        random = SeededGenerator(seed: seed)
        self.exponentMax = exponentMax
    }

    /// Numbers as clients send them: few digits, sometimes seventeen.
    public mutating func usual(_ range: ClosedRange<Double>) -> String {
        let value = Double.random(in: range, using: &random)
        switch random.below(6) {
        case 0: return String(Int(value))
        case 1: return String(value)
        case 2: return scaled(Int(value * 10), fractionDigits: 1)
        case 3: return scaled(Int(value * 1e6), fractionDigits: 6)
        case 4: return scaled(Int(value * 1e4), fractionDigits: 4)
        default: return scaled(Int(value * 1e2), fractionDigits: 2)
        }
    }

    /// Any finite double, from random bits, in Swift's shortest form, which JSON allows.
    public mutating func anyDouble() -> String {
        while true {
            let value = Double(bitPattern: random.next())
            if value.isFinite { return String(value) }
        }
    }

    /// Digits with a point anywhere, sometimes with an exponent.
    public mutating func digitString(digitsMax: Int = 25) -> String {
        let count = random.within(1...digitsMax)
        var digits = (0..<count).map { _ in String(random.below(10)) }.joined()
        if random.once(in: 2) {
            let point = random.below(count + 1)
            digits = String(digits.prefix(point)) + "." + String(digits.dropFirst(point))
            if digits.hasSuffix(".") { digits += "0" }
        }
        while digits.hasPrefix("0"), digits.dropFirst().first?.isNumber == true {
            digits.removeFirst()
        }
        if digits.hasPrefix(".") { digits = "0" + digits }
        if random.once(in: 2) {
            let power =
                random.once(in: 20)
                ? String(random.within(0...99_999_999)) : String(random.within(0...345))
            digits += random.pick(["e", "E", "e-", "E-", "e+"]) + power
        }
        return (random.once(in: 3) ? "-" : "") + digits
    }

    /// A number exactly halfway between two neighbouring doubles, or one digit away from that.
    public mutating func halfway() -> String {
        let significand = random.next() >> 11 | 1 << 52
        let power = random.within(-60...40)
        var digits = decimalDigits(of: significand * 2 + 1, timesTwoToThe: power - 1)
        switch random.below(4) {
        case 0: digits += digits.contains(".") ? "0001" : ".0001"
        case 1:
            if digits.last != "0", let last = digits.last?.wholeNumberValue {
                digits = digits.dropLast() + String(last - 1) + "9999"
            }
        default: break
        }
        return digits
    }

    /// Numbers near the smallest and largest doubles, and other corner cases.
    public mutating func corner() -> String {
        random.pick(Self.corners)
    }

    /// A mix of all shapes.
    public mutating func any() -> String {
        while true {
            let number = anyExponent()
            guard abs(DecimalText(number.utf8).exponent) <= exponentMax else { continue }
            if growthLeft == .max { return number }
            let growth = DecimalText.growth(of: number.utf8)
            guard growth <= growthLeft else { continue }
            growthLeft -= growth
            return number
        }
    }

    private mutating func anyExponent() -> String {
        switch random.below(10) {
        case 0...3: usual(-1000...1000)
        case 4: anyDouble()
        case 5...6: digitString()
        case 7: halfway()
        default: corner()
        }
    }

    private func scaled(_ number: Int, fractionDigits: Int) -> String {
        let digits = String(number.magnitude)
        let padded =
            String(repeating: "0", count: max(0, fractionDigits + 1 - digits.count)) + digits
        let sign = number < 0 ? "-" : ""
        return sign + padded.dropLast(fractionDigits) + "." + padded.suffix(fractionDigits)
    }

    /// `number` × 2^`power` written out in full, by schoolbook doubling and halving.
    private func decimalDigits(of number: UInt64, timesTwoToThe power: Int) -> String {
        var digits = String(number).compactMap(\.wholeNumberValue)
        var pointAt = digits.count
        for _ in 0..<max(0, power) {
            var carry = 0
            for index in digits.indices.reversed() {
                let doubled = digits[index] * 2 + carry
                digits[index] = doubled % 10
                carry = doubled / 10
            }
            if carry > 0 {
                digits.insert(carry, at: 0)
                pointAt += 1
            }
        }
        for _ in 0..<max(0, -power) {
            var carry = 0
            for index in digits.indices {
                let current = carry * 10 + digits[index]
                digits[index] = current / 2
                carry = current % 2
            }
            if carry > 0 { digits.append(5) }
        }
        var text = digits[..<pointAt].map(String.init).joined()
        while text.hasPrefix("0") && text.count > 1 { text.removeFirst() }
        if digits.count > pointAt {
            text += "." + digits[pointAt...].map(String.init).joined()
        }
        return text
    }

    static let corners = [
        "0", "-0", "0.0", "-0.0", "0e0", "-0e-5", "0e99999999999999999999", "1e0", "1E+2", "1e-2",
        "5e-324", "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
        "2.47e-324", "1e-323", "2.2250738585072011e-308", "2.2250738585072012e-308",
        "2.2250738585072014e-308", "2.225073858507201e-308", "1.7976931348623157e308",
        "1.7976931348623158e308", "1.7976931348623159e308", "1.797693134862315807e308", "1e308",
        "1e309", "-1e309", "1e400", "-1e400", "1e-400", "1e99999999999999999999",
        "1e-99999999999999999999", "9007199254740991", "9007199254740992", "9007199254740993",
        "9007199254740993.0000000000000001", "9007199254740992.999999999", "18014398509481985",
        "9223372036854775807", "9223372036854775808", "18446744073709551615",
        "18446744073709551616", "184467440737095516160", "99999999999999999999", "0.1", "0.2",
        "0.3",
        "1.0", "1.5", "100e-2", "10e-2", "0.000001", "0.0000001", "1e22", "1e23",
        "123456789012345678",
        "1.00000000000000011102230246251565404", "1.00000000000000011102230246251565405",
        "8.5", "90", "-90", "90.00000000000001", "90.00000000000000000001", "180", "-180.0",
        "180.0000000000001", "-180.00000000000003", "32767", "32768", "-32768", "-32769", "65536",
        "2147483648", "-2147483649", "4294967296", "0.30000000000000004", "72.5", "1e1", "3.14e1",
        "0.000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
        "123456789.123456789e-9", "6.0221409e+23", "7.2057594037927933e16",
        "1.7976931348623157e+308",
        "0.1e1", "0.00e-00", "1e00", "1e-00", "1e+0000000000000000000002",
    ]
}
