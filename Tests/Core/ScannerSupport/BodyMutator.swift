/// Damages bodies in ways that parsers get wrong.
public struct BodyMutator: Sendable {
    private var random: SeededGenerator

    /// - Parameter seed: the same seed makes the same changes.
    public init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    /// Makes one to four changes.
    ///
    /// - Parameter other: the source of spliced parts.
    public mutating func mutated(_ body: [UInt8], with other: [UInt8]) -> [UInt8] {
        var body = body
        for _ in 0..<random.pick([1, 1, 1, 2, 2, 3, 4]) {
            change(&body, other)
        }
        return body
    }

    private mutating func change(_ body: inout [UInt8], _ other: [UInt8]) {
        guard !body.isEmpty else {
            body = random.pick(Self.tokens)
            return
        }
        let place = random.below(body.count)
        switch random.below(14) {
        case 0: body[place] ^= 1 << UInt8(random.below(8))
        case 1: body[place] = UInt8(truncatingIfNeeded: random.next())
        case 2: body.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        case 3: body.remove(at: place)
        case 4: body.removeSubrange(range(from: place, in: body))
        case 5: body.insert(contentsOf: body[range(from: place, in: body)], at: place)
        case 6: body.removeSubrange(place...)
        case 7: body.insert(contentsOf: random.pick(Self.tokens), at: place)
        case 8...9: replaceToken(in: &body, from: place)
        case 10...11: tweakDigit(in: &body, from: place)
        case 12: swapValues(in: &body, from: place)
        default:
            guard !other.isEmpty else { return }
            let from = random.below(other.count)
            body.replaceSubrange(
                range(from: place, in: body), with: other[range(from: from, in: other)])
        }
    }

    private mutating func range(from place: Int, in body: [UInt8]) -> Range<Int> {
        let lengthMax = random.pick([1, 2, 4, 8, 40, 200])
        return place..<min(body.count, place + 1 + random.below(lengthMax))
    }

    /// Replaces one token by another, so that the rest often stays JSON.
    private mutating func replaceToken(in body: inout [UInt8], from place: Int) {
        let ends = Set(",:{}[]".utf8)
        guard let start = body[place...].firstIndex(where: { ends.contains($0) }) else { return }
        let rest = body[(start + 1)...]
        let end = rest.firstIndex { ends.contains($0) } ?? body.count
        body.replaceSubrange(start + 1..<end, with: random.pick(Self.tokens))
    }

    private mutating func tweakDigit(in body: inout [UInt8], from place: Int) {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let found = body[place...].firstIndex(where: { digits.contains($0) }) else { return }
        let replacement = random.pick([
            "0", "1", "9", "5", "-", ".", "e", "E", "+", "00", "99", ".0", "e9",
        ])
        body.replaceSubrange(found...found, with: Array(replacement.utf8))
    }

    /// Moves a member to another place, across the comma.
    private mutating func swapValues(in body: inout [UInt8], from place: Int) {
        let commas = body.indices.filter { $0 >= place && body[$0] == UInt8(ascii: ",") }.prefix(3)
        guard commas.count == 3 else { return }
        let (first, second, third) = (commas[0], commas[1], commas[2])
        let swapped = Array(body[second..<third] + body[first..<second])
        body.replaceSubrange(first..<third, with: swapped)
    }

    static let tokens: [[UInt8]] =
        words.map { Array($0.utf8) } + [
            [0x00], [0x1F], [0x7F], [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2],
            [0xE0, 0x80, 0x80],
            [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xED, 0x9F, 0xBF], [0xEF, 0xBB, 0xBF],
            [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x9F, 0x98], [0xF4, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF8], [0xFE],
            [0xFF],
            [UInt8](repeating: UInt8(ascii: " "), count: 70),
            [UInt8](repeating: UInt8(ascii: "["), count: 63),
            [UInt8](repeating: UInt8(ascii: "0"), count: 40),
            [UInt8](repeating: UInt8(ascii: "9"), count: 20),
        ]

    private static let words = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\\"", "\\\\", "/", "'", " ", "\n", "\t", "\r",
        "null", "true", "false", "nul", "tru", "\"\"", "{}", "[]", "0", "-0", "-", "1", "1.0",
        "1e2", "e",
        "E+", ".", "-1", "1e400", "1e-400", "01", "1.", ".5", "+1", "NaN", "Infinity", "-Infinity",
        "-I", "N", "90.1", "180.1", "32768",
        "\\u0000", "\\ud800", "\\udc00", "\\ud83d\\ude00", "\\u00", "\\u", "\\x", "\\/",
        "\"metadata\"", "\"data\"", "\"device_id\"", "\"user_id\"", "\"version\"", "\"model_name\"",
        "\"t\"", "\"type\"", "\"gps\"", "\"vital\"", "\"event\"", "\"lat\"", "\"lon\"", "\"acc\"",
        "\"code\"", "\"val\"", "\"label\"", "\"val_text\"", "\"72.5\"", "\"t\":null,",
        "\"type\":1,",
        "\"lat\":1,", "\"val\":2,", "\"acc\":-1,", "\"device_id\":\"x\",", "\"metadata\":{},",
        "\"label\":\"l\",", "\"alt\":-5,", "\"vacc\":3,", "\"speed\":1.5,", "\"course\":90,",
        "\"alt\"",
        "\"speed\"", "8590", "\"metric\":\"a\",", "\"metric\"", "\"code\":null,", "\"x\":[[[]]],",
        "\"\\u0074ype\"", "\"2026-02-10T14:57:07Z\"", "{},",
        "},{",
        "\"metadata\":{\"device_id\":\"d\"},", "\"data\":[],", "Z", "z", "T", "+00:00", "-2359",
        ".123456789",
        "\u{FEFF}", "é", "😀", "\r\n", "}\n{", "\"user_id\":\"u\",", "\"device_id\":null,",
    ]
}
