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
