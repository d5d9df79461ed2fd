import Testing

@testable import Scanner

struct PowersOfFiveTests {
    /// A whole number of any size, its lowest 32 bits first.
    private struct Whole {
        var parts: [UInt32]

        mutating func multiplyByFive() {
            var carry: UInt64 = 0
            for place in parts.indices {
                carry += UInt64(parts[place]) * 5
                parts[place] = UInt32(truncatingIfNeeded: carry)
                carry >>= 32
            }
            parts.append(UInt32(carry))
        }

        /// Rounds down; divided again and again, that is as exact as dividing once.
        mutating func divideByFive() {
            var rest: UInt64 = 0
            for place in parts.indices.reversed() {
                rest = rest << 32 | UInt64(parts[place])
                parts[place] = UInt32(rest / 5)
                rest %= 5
            }
        }

        /// The 128 bits from the highest one that is set, and zeros behind a shorter number.
        var top: UInt128 {
            var bits: UInt128 = 0
            for part in parts.reversed() {
                for bit in (0..<32).reversed() where bits.leadingZeroBitCount > 0 {
                    bits = bits << 1 | UInt128(part >> UInt32(bit) & 1)
                }
            }
            return bits << UInt128(bits.leadingZeroBitCount)
        }
    }

    /// `strtod` shows only those wrong bits that some double depends on.
    @Test func `each entry is the power, to its last bit`() {
        var power = Whole(parts: [1])
        // 2^1024 leaves more than 128 bits after 64 divisions.
        var inverse = Whole(parts: [UInt32](repeating: 0, count: 32) + [1])
        for exponent in 0...PowersOfFive.range.upperBound {
            let place = 2 * (exponent - PowersOfFive.range.lowerBound)
            #expect(Self.entry(place) == power.top, "5^\(exponent)")
            power.multiplyByFive()
        }
        for exponent in 1...(-PowersOfFive.range.lowerBound) {
            inverse.divideByFive()
            let place = 2 * (-exponent - PowersOfFive.range.lowerBound)
            #expect(
                Self.entry(place) == inverse.top + (exponent <= 27 ? 1 : 0), "5^-\(exponent)")
        }
    }

    private static func entry(_ place: Int) -> UInt128 {
        UInt128(PowersOfFive.table[place]) << 64 | UInt128(PowersOfFive.table[place + 1])
    }
}
