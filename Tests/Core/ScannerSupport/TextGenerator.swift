/// JSON strings, and JSON trees of any shape, as text.
struct TextGenerator {
    var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    /// A string with quotes that PostgreSQL accepts as text: without NUL and unpaired surrogates.
    mutating func string(piecesMax: Int = 8) -> String {
        "\"\(content(piecesMax: piecesMax))\""
    }

    /// A non-empty string whose JSON text without quotes has at most that many bytes.
    mutating func string(bytesMax: Int) -> String {
        for _ in 0..<10 {
            let content = content()
            if content.utf8.count <= bytesMax { return "\"\(content)\"" }
        }
        return "\"short\""
    }

    /// The text of a string without quotes; never empty.
    mutating func content(piecesMax: Int = 8) -> String {
        if random.once(in: 2) { return random.pick(Self.words) }
        return (0..<random.within(1...piecesMax)).map { _ in random.pick(Self.pieces) }.joined()
    }

    /// A string with quotes whose first fault is NUL or an unpaired surrogate. More of both may
    /// follow.
    mutating func faultyString(nulFirst: Bool) -> String {
        let before = random.once(in: 2) ? "" : content(piecesMax: 3)
        let surrogates = [
            "\\udc00", "\\ude00", "\\ud83dx", "\\ud83d\\n", "\\ud83dab", "\\uD83D\\ud83d\\ude00",
        ]
        let fault = nulFirst ? "\\u0000" : random.pick(surrogates)
        let after = (0..<random.below(4)).map { _ in
            random.once(in: 2)
                ? random.pick(surrogates + ["\\u0000", "abcd", "abc", "\\\\u0000"])
                : random.pick(Self.pieces)
        }
        return "\"\(before)\(fault)\(after.joined())\""
    }

    /// A key for unknown members, without quotes.
    mutating func key() -> String {
        random.once(in: 6) ? content(piecesMax: 3) : random.pick(Self.keys)
    }

    /// An object with any content that JSON allows.
    mutating func object(levels: Int, numbers: inout NumberGenerator) -> String {
        let gap = random.once(in: 4) ? " " : ""
        let members = (0..<random.below(4)).map { _ in
            "\(gap)\"\(key())\"\(gap):\(gap)\(value(levels: levels - 1, numbers: &numbers))"
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    mutating func value(levels: Int, numbers: inout NumberGenerator) -> String {
        switch random.below(levels > 0 ? 8 : 6) {
        case 0: return random.pick(["null", "true", "false"])
        case 1...2: return numbers.any()
        case 3...5: return string()
        case 6: return object(levels: levels, numbers: &numbers)
        default:
            let gap = random.once(in: 4) ? "\n\t " : ""
            let elements = (0..<random.below(4)).map { _ in
                value(levels: levels - 1, numbers: &numbers)
            }
            return "[" + gap + elements.joined(separator: gap + "," + gap) + gap + "]"
        }
    }

    static let words = [
        "walking", "motion_state", "stationary", "automotive", "battery", "screen_on", "app_open",
        "heart rate", "a", "sleep_start", "Büro", "北京", "🏃‍♀️", "noise/level", "x\\/y",
    ]

    static let keys = [
        "a", "b", "aa", "ab", "confidence", "source", "Z", "é", "z", "t", "type", "lat", "label",
        "metadata", "data", "device_id", "code", "val", "val_text", "lo", "la", "lons", "types",
        "ac", "metadat", "metadatas", "vals", "", "\\u0061", "\\n", "\\\"", "😀",
    ]

    static let pieces = [
        "a", "B", "0", " ", "~", "\\u007f", "\u{7F}", "\\\"", "\\\\", "\\/", "/", "\\b", "\\f",
        "\\n", "\\r", "\\t", "\\u0001", "\\u001F", "\\u0020", "\\u00e9", "\\u00E9", "é", "ß", "İ",
        "Σ",
        "\u{80}", "\u{7FF}", "\u{800}", "\u{FFFD}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}", "€",
        "日本", "\\ud83d\\ude00", "\\uD83D\\uDE00", "😀", "\\udbff\\udfff", "\\ud800\\udc00",
        "e\u{301}", "\u{2028}", "\\u2029", "{", "}", "[", "]", ":", ",", "null", "'", "\\u0022",
        "\\u005c", "long enough to leave any wide compare far behind, twice over at least",
    ]
}
