/// The finaliser of SplitMix64: each output bit depends on each input bit.
///
/// - Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators (OOPSLA 2014).
@inline(__always)
func mixed(_ value: UInt64) -> UInt64 {
    var z = value &+ 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z &>> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z &>> 31)
}

/// SplitMix64 as a generator, for a sequence of decisions.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Equal seeds give equal numbers.
    public init(seed: UInt64) {
        state = seed
    }

    /// Uniform over all of `UInt64`.
    public mutating func next() -> UInt64 {
        let value = mixed(state)
        state &+= 0x9E37_79B9_7F4A_7C15
        return value
    }

    /// True with a probability of `perMillion` in a million.
    public mutating func chance(perMillion: Int) -> Bool {
        perMillion > 0 && Int(next() % 1_000_000) < perMillion
    }

    /// Uniform in (0, 1], so that its logarithm is finite.
    public mutating func unit() -> Double {
        (Double(next() &>> 11) + 1) * 0x1p-53
    }
}

/// The bits of one hash, taken a few at a time.
struct BitPurse {
    private var bits: UInt64

    init(_ bits: UInt64) {
        self.bits = bits
    }

    /// A number below `bound`. One hash has bits for a handful of small bounds.
    mutating func take(below bound: UInt64) -> Int {
        let taken = bits % bound
        bits /= bound
        return Int(truncatingIfNeeded: taken)
    }
}
