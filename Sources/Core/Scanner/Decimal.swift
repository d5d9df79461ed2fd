import Glibc

/// A decimal number: `(-1)^negative × mantissa × 10^exponent`.
struct Decimal {
    var isNegative: Bool
    var mantissa: UInt64
    var exponent: Int

    /// The nearest double, ties to even; nil when 128 bits can't decide it or the power is outside
    /// the table.
    ///
    /// First it tries exact arithmetic with one rounding (Clinger), then one or two products with a
    /// 128-bit power of five (Eisel and Lemire).
    @inline(always)
    var rounded: Double? {
        if mantissa <= 1 << 53, exponent >= -22, exponent <= 22 {
            let magnitude = Double(mantissa)
            let value =
                exponent < 0
                ? magnitude / Self.exactPowers[-exponent]
                : magnitude * Self.exactPowers[exponent]
            return isNegative ? -value : value
        }
        return roundedByProduct
    }

    static let exactPowers: InlineArray<23, Double> = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    @inline(never)
    private var roundedByProduct: Double? {
        guard mantissa != 0 else { return isNegative ? -0.0 : 0.0 }
        guard PowersOfFive.range.contains(exponent) else { return nil }
        let entry = 2 * (exponent - PowersOfFive.range.lowerBound)
        let shift = mantissa.leadingZeroBitCount
        let normalized = mantissa << UInt64(shift)

        var (high, low) = normalized.multipliedFullWidth(by: PowersOfFive.table[entry])
        // The result needs 52 bits and the hidden one, one for rounding, and one for the product's
        // top bit. The lower half of the power matters only when the nine bits below them are all
        // ones.
        if high & 0x1FF == 0x1FF {
            let more = normalized.multipliedFullWidth(by: PowersOfFive.table[entry + 1]).high
            let (sum, carry) = low.addingReportingOverflow(more)
            low = sum
            if carry { high += 1 }
            if low == .max, exponent < -27 || exponent > 55 { return nil }
        }
        let top = Int(high >> 63)
        var bits = high >> UInt64(top + 9)
        // floor(log2(10^exponent)) by a fraction that is exact in this range.
        var power = ((217_706 * exponent) >> 16) + 63 + top - shift + 1023
        // A tie is only possible when the power of five fits in the mantissa.
        if low <= 1, exponent >= -4, exponent <= 23, bits & 3 == 1,
            bits << UInt64(top + 9) == high
        {
            bits &= ~1
        }
        bits = (bits + (bits & 1)) >> 1
        if bits == 1 << 53 {
            bits = 1 << 52
            power += 1
        }
        precondition(power > 0 && power < 2047, "BUG: power=\(power)")
        let sign: UInt64 = isNegative ? 1 << 63 : 0
        return Double(bitPattern: sign | UInt64(power) << 52 | bits & ~(1 << 52))
    }
}

extension Window {
    /// Reads the numbers that clients really send: `-?digits[.digits]`, at most 19 digits.
    ///
    /// Returns false for anything else, `position` is then unchanged.
    @inline(always)
    func plainNumber(at position: inout Int, _ result: inout Double) -> Bool {
        var index = position
        let isNegative = self[index] == 0x2D
        if isNegative { index &+= 1 }
        let start = index
        var mantissa = 0 as UInt64
        var digit = self[index] &- 0x30
        while digit <= 9 {
            mantissa = mantissa &* 10 &+ UInt64(digit)
            index &+= 1
            digit = self[index] &- 0x30
        }
        var digits = index &- start
        // No digit, or a leading zero.
        if digits == 0 || (digits > 1 && self[start] == 0x30) { return false }
        var exponent = 0
        if self[index] == 0x2E {
            index &+= 1
            let point = index
            digit = self[index] &- 0x30
            while digit <= 9 {
                mantissa = mantissa &* 10 &+ UInt64(digit)
                index &+= 1
                digit = self[index] &- 0x30
            }
            exponent = point &- index
            if exponent == 0 { return false }
            digits &-= exponent
        }
        if digits > 19 || self[index] | 0x20 == 0x65 { return false }
        let decimal = Decimal(isNegative: isNegative, mantissa: mantissa, exponent: exponent)
        guard let value = decimal.rounded else { return false }
        position = index
        result = value
        return true
    }

    /// Converts a number that is valid JSON; never fails, overflows to infinity.
    func number(in range: Range<Int>) -> Double {
        var index = range.lowerBound
        let isNegative = self[index] == 0x2D
        if isNegative { index += 1 }
        var mantissa = 0 as UInt64
        var digits = 0
        var exponent = 0
        var isFraction = false
        while index < range.upperBound {
            let byte = self[index]
            if byte &- 0x30 <= 9 {
                if digits > 0 || byte != 0x30 { digits += 1 }
                mantissa = mantissa &* 10 &+ UInt64(byte &- 0x30)
                if isFraction { exponent -= 1 }
            } else if byte == 0x2E {
                isFraction = true
            } else {
                break
            }
            index += 1
        }
        exponent += power(in: index..<range.upperBound)
        if digits <= 19,
            let value = Decimal(isNegative: isNegative, mantissa: mantissa, exponent: exponent)
                .rounded
        {
            return value
        }
        // strtod also stops at the byte after a JSON number, or at the window's zero bytes.
        return UnsafeRawPointer(base + range.lowerBound)
            .withMemoryRebound(to: CChar.self, capacity: range.count) { strtod($0, nil) }
    }

    /// Whether a number that is valid JSON is zero, exactly and not as a double.
    func isZero(_ range: Range<Int>) -> Bool {
        for index in range {
            let byte = self[index]
            if byte | 0x20 == 0x65 { break }
            if byte &- 0x31 <= 8 { return false }
        }
        return true
    }

    /// Whether a number that is valid JSON is integral, exactly and not as a double.
    func isIntegral(_ range: Range<Int>) -> Bool {
        var digitsAfterPoint = 0
        var trailingZeros = 0
        var isZero = true
        var isFraction = false
        var index = range.lowerBound
        while index < range.upperBound, self[index] | 0x20 != 0x65 {
            let byte = self[index]
            if byte == 0x2E {
                isFraction = true
            } else if byte != 0x2D {
                if isFraction { digitsAfterPoint += 1 }
                if byte == 0x30 {
                    trailingZeros += 1
                } else {
                    trailingZeros = 0
                    isZero = false
                }
            }
            index += 1
        }
        let power = power(in: index..<range.upperBound)
        return isZero || power - digitsAfterPoint + trailingZeros >= 0
    }

    /// The greatest whole number that is not above a number that is valid JSON, times a power of
    /// ten; nil if it has more than 18 digits. Exact, and not as a double.
    func floor(of range: Range<Int>, timesTenTo power: Int) -> Int64? {
        let isNegative = self[range.lowerBound] == 0x2D
        let start = range.lowerBound + (isNegative ? 1 : 0)
        let end = range.first { self[$0] | 0x20 == 0x65 } ?? range.upperBound
        let point = (start..<end).first { self[$0] == 0x2E } ?? end
        var wholeDigits = point - start + power + self.power(in: end..<range.upperBound)
        var whole = 0 as Int64
        var isWhole = true
        for index in start..<end where index != point {
            let digit = Int64(self[index] &- 0x30)
            if wholeDigits > 0 {
                guard whole < Self.tenTo17 else { return nil }
                whole = whole * 10 + digit
                wholeDigits -= 1
            } else if digit > 0 {
                isWhole = false
            }
        }
        while wholeDigits > 0, whole > 0 {
            guard whole < Self.tenTo17 else { return nil }
            whole *= 10
            wholeDigits -= 1
        }
        return isNegative ? -whole - (isWhole ? 0 : 1) : whole
    }

    private static var tenTo17: Int64 { 100_000_000_000_000_000 }

    /// The exponent of a number, from its `e` on; 0 where there is none. Limited to a billion.
    private func power(in range: Range<Int>) -> Int {
        guard var index = range.first else { return 0 }
        index += 1
        let isMinus = self[index] == 0x2D
        if isMinus || self[index] == 0x2B { index += 1 }
        var power = 0
        while index < range.upperBound {
            power = min(power * 10 + Int(self[index] &- 0x30), 1_000_000_000)
            index += 1
        }
        return isMinus ? -power : power
    }
}

extension JSONCursor {
    /// Reads a number by the JSON grammar, from its sign or first digit to after its last byte.
    mutating func number() throws(Stop) -> Range<Int> {
        let start = position
        if byte == 0x2D { position += 1 }
        if byte == 0x30 {
            position += 1
        } else {
            try digits()
        }
        if byte == 0x2E {
            position += 1
            try digits()
        }
        if byte | 0x20 == 0x65 {
            position += 1
            if byte == 0x2B || byte == 0x2D { position += 1 }
            try digits()
        }
        return start..<position
    }

    private mutating func digits() throws(Stop) {
        guard byte &- 0x30 <= 9 else { throw stop(at: position) }
        repeat { position &+= 1 } while window[position] &- 0x30 <= 9
    }
}
