/// Corrects the words of a sentence. Joins two words that a food's name writes as one, and splits
/// or corrects a word that no food and no list has.
struct Spelling {
    private let lookup: FoodLookup

    init(_ lookup: FoodLookup) {
        self.lookup = lookup
    }

    /// The corrected words of a sentence.
    struct Result {
        var tokens: [Token]
        /// Places of tokens whose spelling was corrected; joined and split words do not count.
        var mended: Set<Int>
    }

    /// Linear in the tokens. An unknown word is also compared with every known word whose length
    /// differs from its own by at most 2.
    func mend(_ tokens: [Token]) -> Result {
        var result = Result(tokens: [], mended: [])
        var at = 0
        while at < tokens.count {
            let token = tokens[at]
            guard token.kind == .word, !isKnown(token.lemma) else {
                if let joined = joined(tokens, at) {
                    result.tokens.append(joined)
                    at += 2
                } else {
                    result.tokens.append(token)
                    at += 1
                }
                continue
            }
            if let joined = joined(tokens, at) {
                result.tokens.append(joined)
                at += 2
                continue
            }
            if let (left, right) = halves(token.lemma) {
                result.tokens += [.word(left), .word(right)]
            } else if let corrected = corrected(token.lemma) {
                result.mended.insert(result.tokens.count)
                let isPlural = Lemma.isPlural(token.text)
                result.tokens.append(
                    Token(
                        kind: .word, text: isPlural ? corrected + "s" : corrected, lemma: corrected)
                )
            } else {
                result.tokens.append(token)
            }
            at += 1
        }
        return result
    }

    private func isKnown(_ lemma: String) -> Bool {
        lookup.knows(lemma) || lookup.isUnit(lemma) || Lexicon.knows(lemma)
            || Brand.knows(lemma)
    }

    /// Joins "cheese burger" if a food's name has "cheeseburger", unless the two words are a name.
    private func joined(_ tokens: [Token], _ at: Int) -> Token? {
        guard at + 1 < tokens.count, tokens[at].kind == .word, tokens[at + 1].kind == .word,
            tokens[at].text.utf8.count >= 3, tokens[at + 1].text.utf8.count >= 3
        else { return nil }
        let whole = tokens[at].text + tokens[at + 1].text
        let token = Token.word(whole)
        guard lookup.knows(token.lemma) else { return nil }
        let rest = tokens[at...].prefix(FoodIndex.nameWordsMax).prefix { $0.kind == .word }
        guard (lookup.longest(rest.map(\.lemma))?.count ?? 0) < 2 else { return nil }
        return token
    }

    /// Splits "chickenbreast".
    private func halves(_ lemma: String) -> (String, String)? {
        let bytes = Array(lemma.utf8)
        guard (6...24).contains(bytes.count) else { return nil }
        for cut in 3...(bytes.count - 3) {
            let left = String(decoding: bytes[..<cut], as: UTF8.self)
            let right = String(decoding: bytes[cut...], as: UTF8.self)
            if lookup.knows(left), lookup.knows(right) { return (left, right) }
            // "penutbutter"
            if cut >= 4, bytes.count - cut >= 4, lookup.knows(right), let left = corrected(left) {
                return (left, right)
            }
        }
        return nil
    }

    /// The nearest known word within one edit, or two from eight letters on. Among equally near
    /// words, those of foods' names come first, then the first in the alphabet.
    private func corrected(_ lemma: String) -> String? {
        let word = Array(lemma.utf8)
        guard (4...24).contains(word.count), word.allSatisfy({ $0 >= UInt8(ascii: "a") }) else {
            return nil
        }
        let allowed = word.count >= 8 ? 2 : 1
        var best: (distance: Int, isOther: Int, text: String)?
        func look(_ text: String, isFood: Bool) {
            let other = text.utf8
            guard abs(other.count - word.count) <= allowed, other.count >= 4 else { return }
            // The first letter of a short word is assumed to be right.
            guard word.count > 5 || other.first == word[0] else { return }
            let limit = min(allowed, best?.distance ?? allowed)
            guard let distance = EditDistance.between(word, Array(other), atMost: limit) else {
                return
            }
            let found = (distance, isFood ? 0 : 1, text)
            if let known = best, known <= found { return }
            best = found
        }
        for spelling in lookup.spellings(near: word) { look(spelling, isFood: true) }
        if word.count >= 5 {
            for spelling in Lexicon.correctable { look(spelling, isFood: false) }
        }
        return best?.text
    }
}

/// The number of edits between two words: letters inserted, removed, changed, or swapped with the
/// next one (optimal string alignment).
enum EditDistance {
    /// The distance; nil if it exceeds `limit`. Complexity: the product of the lengths, less if the
    /// limit is exceeded early.
    static func between(_ left: [UInt8], _ right: [UInt8], atMost limit: Int) -> Int? {
        if left == right { return 0 }
        if abs(left.count - right.count) > limit || limit == 0 { return nil }
        let width = right.count + 1
        var before = [Int](repeating: 0, count: width)
        var above = Array(0..<width)
        var row = [Int](repeating: 0, count: width)
        for i in 1...max(left.count, 1) where i <= left.count {
            row[0] = i
            var least = i
            for j in 1..<max(width, 1) {
                let change = above[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1)
                var cost = min(above[j] + 1, row[j - 1] + 1, change)
                if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
                    cost = min(cost, before[j - 2] + 1)
                }
                row[j] = cost
                least = min(least, cost)
            }
            if least > limit { return nil }
            (before, above, row) = (above, row, before)
        }
        let distance = above[width - 1]
        return distance <= limit ? distance : nil
    }

    /// A set of letters, one bit a letter. The sets of two words within n edits differ in at most
    /// 2n bits.
    static func mask(_ word: some Sequence<UInt8>) -> UInt32 {
        word.reduce(0) { $0 | 1 << UInt32($1 & 31) }
    }
}

/// Folds Unicode to lower-cased ASCII for `Tokenizer`.
enum Folding {
    /// The ASCII text for a scalar; nil if the scalar is dropped.
    static func ascii(_ scalar: Unicode.Scalar) -> String? {
        switch scalar.value {
        case 0x41...0x5A: String(Unicode.Scalar(UInt8(scalar.value + 32)))
        case 0x0A, 0x0D, 0x2028, 0x2029, 0x2022, 0xB7, 0x25AA, 0x25CF: "\n"
        case 0x00...0x7F: scalar.value < 32 ? " " : String(scalar)
        case 0x300...0x36F, 0xAD, 0x200B...0x200D, 0xFE0F, 0xFEFF: nil
        case 0x2018, 0x2019, 0x2032, 0xB4, 0x60: "'"
        case 0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2212: "-"
        case 0xD7: "x"
        case 0xDF: "ss"
        case 0xC6, 0xE6: "ae"
        case 0x152, 0x153: "oe"
        case 0x2044: "/"
        case 0xC0...0x17F: latin(scalar)
        default: " "
        }
    }

    /// The letter without its accent.
    private static func latin(_ scalar: Unicode.Scalar) -> String {
        let letters: [(ClosedRange<UInt32>, String)] = [
            (0xC0...0xC5, "a"), (0xC7...0xC7, "c"), (0xC8...0xCB, "e"), (0xCC...0xCF, "i"),
            (0xD1...0xD1, "n"), (0xD2...0xD6, "o"), (0xD8...0xD8, "o"), (0xD9...0xDC, "u"),
            (0xDD...0xDD, "y"), (0xE0...0xE5, "a"), (0xE7...0xE7, "c"), (0xE8...0xEB, "e"),
            (0xEC...0xEF, "i"), (0xF1...0xF1, "n"), (0xF2...0xF6, "o"), (0xF8...0xF8, "o"),
            (0xF9...0xFC, "u"), (0xFD...0xFD, "y"), (0xFF...0xFF, "y"), (0x100...0x105, "a"),
            (0x106...0x10D, "c"), (0x10E...0x111, "d"), (0x112...0x11B, "e"), (0x11C...0x123, "g"),
            (0x128...0x131, "i"), (0x139...0x142, "l"), (0x143...0x148, "n"), (0x14C...0x151, "o"),
            (0x154...0x159, "r"), (0x15A...0x161, "s"), (0x162...0x167, "t"), (0x168...0x173, "u"),
            (0x179...0x17E, "z"),
        ]
        return letters.first { $0.0.contains(scalar.value) }?.1 ?? " "
    }

    /// The value of a fraction sign; nil for other scalars.
    static func fraction(_ scalar: Unicode.Scalar) -> Double? {
        switch scalar {
        case "½": 1.0 / 2
        case "⅓": 1.0 / 3
        case "⅔": 2.0 / 3
        case "¼": 1.0 / 4
        case "¾": 3.0 / 4
        case "⅕": 1.0 / 5
        case "⅖": 2.0 / 5
        case "⅗": 3.0 / 5
        case "⅘": 4.0 / 5
        case "⅙": 1.0 / 6
        case "⅚": 5.0 / 6
        case "⅛": 1.0 / 8
        case "⅜": 3.0 / 8
        case "⅝": 5.0 / 8
        case "⅞": 7.0 / 8
        default: nil
        }
    }
}
