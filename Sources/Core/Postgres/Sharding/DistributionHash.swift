import Schema

/// PostgreSQL's hash of a bigint, `hashint8`, which Citus uses to find a row's shard when the
/// distribution column is a bigint.
///
/// It has no seed and is the same on every machine and version: hash-partitioned tables on disk
/// depend on it.
/// - Source: PostgreSQL's `hashfunc.c` folds the two halves, so that a value hashes the same as a
///   smaller integer type's; the mixing is the final step of Bob Jenkins' lookup3 (2006).
public enum DistributionHash {
    /// The result of `SELECT hashint8(value)`.
    public static func hash(_ value: Int64) -> Int32 {
        let low = UInt32(truncatingIfNeeded: value)
        let high = UInt32(truncatingIfNeeded: value >> 32)
        return Int32(bitPattern: mix(low ^ (value >= 0 ? high : ~high)))
    }

    /// The least key from 0 on whose hash is in `range`. Takes about as many steps as there are
    /// ranges of that size.
    static func key(in range: ClosedRange<Int32>) -> Int64 {
        var key: Int64 = 0
        while !range.contains(hash(key)) { key += 1 }
        return key
    }

    private static func mix(_ word: UInt32) -> UInt32 {
        // The length of the word and PostgreSQL's own constant.
        let start: UInt32 = 0x9E37_79B9 &+ 4 &+ 3_923_095
        var (first, second, third) = (start &+ word, start, start)
        third = (third ^ second) &- turned(second, 14)
        first = (first ^ third) &- turned(third, 11)
        second = (second ^ first) &- turned(first, 25)
        third = (third ^ second) &- turned(second, 16)
        first = (first ^ third) &- turned(third, 4)
        second = (second ^ first) &- turned(first, 14)
        third = (third ^ second) &- turned(second, 24)
        return third
    }

    private static func turned(_ word: UInt32, _ bits: UInt32) -> UInt32 {
        word << bits | word >> (32 - bits)
    }
}
