/// The trigrams of a text, as PostgreSQL's `pg_trgm` makes them: each word is padded with two
/// spaces before and one after and cut into threes. The similarity of two texts is the number of
/// shared trigrams divided by the number of different trigrams in both.
///
/// - Source: PostgreSQL manual, "pg_trgm".
struct Trigrams: Sendable {
    /// The trigrams, sorted, without repetition.
    let codes: [UInt32]

    init(_ text: String) {
        var codes: Set<UInt32> = []
        var last = UInt32(0x2020)
        for byte in text.utf8 {
            let isPart =
                byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
                || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
            if isPart {
                last = (last << 8 | UInt32(byte)) & 0xFF_FFFF
                codes.insert(last)
            } else {
                Self.close(&last, &codes)
            }
        }
        Self.close(&last, &codes)
        self.codes = codes.sorted()
    }

    private static func close(_ last: inout UInt32, _ codes: inout Set<UInt32>) {
        if last & 0xFF != 0x20 { codes.insert((last << 8 | 0x20) & 0xFF_FFFF) }
        last = 0x2020
    }
}
