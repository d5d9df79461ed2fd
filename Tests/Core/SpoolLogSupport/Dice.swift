/// A seeded source of choices: the same seed makes the same choices (SplitMix64).
public struct Dice: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The same seed gives the same sequence.
    public init(seed: UInt64) { state = seed }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; 0 if `bound` is 1 or less.
    public mutating func below(_ bound: Int) -> Int {
        bound <= 1 ? 0 : Int(next() % UInt64(bound))
    }

    /// True `perThousand` times in a thousand on average.
    public mutating func happens(perThousand: Int) -> Bool { below(1000) < perThousand }
}
