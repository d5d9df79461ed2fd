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
