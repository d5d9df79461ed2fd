/// A transcription taken apart into sentences and words.
///
/// Linear in its length. A full stop ends a sentence unless it belongs to a title (`Dr.`), an
/// initial, or stands inside of a word (`3.5`).
struct SpokenText: Sendable {
    /// Trimmed, with their closing punctuation.
    private(set) var sentences: [String] = []
    private(set) var words: [SpokenWord] = []
    /// Nothing tells by its case: all capitals, or no capitals but `I`. Words that are known as
    /// names then count as capitalised.
    let isUncased: Bool

    private static let titles: Set<String> = [
        "dr", "mr", "mrs", "ms", "prof", "st", "jr", "sr", "vs", "mt",
    ]

    init(_ text: String) {
        var builder = Builder()
        let characters = Array(text)
        for (index, character) in characters.enumerated() {
            let next = index + 1 < characters.count ? characters[index + 1] : nil
            builder.take(character, next: next)
        }
        builder.endSentence()
        let letters = builder.words.filter { $0.text.first?.isLetter == true }
        let capitals = letters.filter {
            $0.isCapitalised && $0.text != "I" && !$0.text.hasPrefix("I'")
        }
        let shouted = letters.filter { $0.isAcronym || $0.text.count == 1 }
        isUncased =
            capitals.isEmpty || (letters.count >= 3 && shouted.count * 5 >= letters.count * 4)
        sentences = builder.sentences
        words = builder.words
        if isUncased { recase() }
    }

    /// Gives every word the case that its being a known name or place calls for.
    private mutating func recase() {
        words = words.map { word in
            let isName =
                GivenNames.plain.contains(word.name) || NotNames.places.contains(word.key)
            let text = isName ? word.key.prefix(1).uppercased() + word.key.dropFirst() : word.key
            return SpokenWord(
                text: text, key: word.key, sentence: word.sentence,
                isPossessive: word.isPossessive, startsSentence: word.startsSentence,
                gap: word.gap)
        }
    }

    /// The words of one sentence.
    func words(ofSentence number: Int) -> ArraySlice<SpokenWord> {
        guard let first = words.firstIndex(where: { $0.sentence == number }) else { return [] }
        let end = words[first...].firstIndex { $0.sentence != number } ?? words.endIndex
        return words[first..<end]
    }

    private struct Builder {
        var sentences: [String] = []
        var words: [SpokenWord] = []
        private var sentence = ""
        private var word = ""
        private var gap = SpokenWord.Gap.space
        private var isFirst = true

        mutating func take(_ character: Character, next: Character?) {
            let isJoint = "'’-&.".contains(character)
            let joins =
                isJoint && !word.isEmpty && (next?.isLetter == true || next?.isNumber == true)
            sentence.append(character)
            if character.isLetter || character.isNumber || joins
                || ("'’".contains(character) && word.lowercased().hasSuffix("s"))
            {
                word.append(character == "’" ? "'" : character)
                return
            }
            let ended = word
            endWord()
            switch character {
            case "&":
                word = "and"
                endWord()
            case ".":
                let isInitial = ended.count == 1 && ended.first?.isUppercase == true && ended != "I"
                if !SpokenText.titles.contains(ended.lowercased()) && !isInitial { endSentence() }
            case "!", "?", "…", "\n": endSentence()
            case ",": gap = .comma
            case _ where character.isWhitespace: break
            default: gap = .other
            }
        }

        mutating func endSentence() {
            endWord()
            let trimmed = sentence.drop(while: \.isWhitespace)
            let isEmpty = !trimmed.contains { $0.isLetter || $0.isNumber }
            if !isEmpty {
                let end = trimmed.lastIndex { !$0.isWhitespace } ?? trimmed.startIndex
                sentences.append(String(trimmed[...end]))
            }
            sentence = ""
            gap = .space
            isFirst = true
        }

        private mutating func endWord() {
            guard !word.isEmpty else { return }
            var text = word
            word = ""
            var isPossessive = false
            if text.lowercased().hasSuffix("'s") {
                text.removeLast(2)
                isPossessive = true
            } else if text.hasSuffix("'") {
                text.removeLast()
                isPossessive = true
            }
            guard !text.isEmpty else { return }
            words.append(
                SpokenWord(
                    text: text, key: text.lowercased(), sentence: sentences.count,
                    isPossessive: isPossessive, startsSentence: isFirst, gap: gap))
            isFirst = false
            gap = .space
        }
    }
}

/// One word of a transcription and what stands around it.
struct SpokenWord: Sendable, Equatable {
    /// As said, without the possessive `'s`.
    let text: String
    /// Lower case.
    let key: String
    /// Its sentence, from zero.
    let sentence: Int
    /// `'s`, or `'` behind an s, was taken off.
    let isPossessive: Bool
    /// The first of its sentence, so that its capital letter says little.
    let startsSentence: Bool
    /// What is between this word and the one before.
    let gap: Gap

    enum Gap: Sendable { case space, comma, other }

    /// The first letter is a capital one.
    var isCapitalised: Bool { text.first?.isUppercase == true }

    /// `MIT`, `TV`: capital letters only, more than one.
    var isAcronym: Bool {
        text.count > 1 && text.allSatisfy { $0.isUppercase || $0.isNumber }
    }

    /// As the lists of names have it.
    var name: String { GivenNames.folded(key) }

    /// With its possessive.
    var spoken: String { isPossessive ? text + "'s" : text }

    /// The word and what it may be a form of: `meetings` → `meeting`, `meet`; `baked` → `bake`.
    var stems: [String] {
        var found = [key]
        func add(_ stem: Substring) {
            guard stem.count > 2 else { return }
            found.append(String(stem))
            found.append(stem + "e")
            if stem.last == stem.dropLast().last { found.append(String(stem.dropLast())) }
        }
        var singular = Substring(key)
        if key.hasSuffix("ies"), key.count > 4 {
            found.append(key.dropLast(3) + "y")
        } else if key.hasSuffix("s"), !key.hasSuffix("ss"), key.count > 3 {
            singular = key.dropLast()
            found.append(String(singular))
            if key.hasSuffix("es") { found.append(String(key.dropLast(2))) }
        }
        if singular.hasSuffix("ing") {
            add(singular.dropLast(3))
        } else if key.hasSuffix("ied") {
            found.append(key.dropLast(3) + "y")
        } else if key.hasSuffix("ed") {
            add(key.dropLast(2))
        }
        return found
    }
}
