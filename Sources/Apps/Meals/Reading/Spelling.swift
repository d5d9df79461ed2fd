import Foundation

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
            if let joined = joined(tokens, at) {
                result.tokens.append(joined)
                at += 2
                continue
            }
            if token.kind != .word || isKnown(token.lemma) {
                result.tokens.append(token)
            } else if let (left, right) = halves(token.lemma) {
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
            let limit = min(isFood ? allowed : 1, best?.distance ?? allowed)
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
