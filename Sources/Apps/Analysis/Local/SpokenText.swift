/// A transcription split into sentences and words.
///
/// The split is linear in the text's length. A full stop ends a sentence unless it follows a title
/// (`Dr.`) or an initial, or is inside a word (`3.5`).
struct SpokenText: Sendable {
    /// Trimmed, with their closing punctuation.
    private(set) var sentences: [String] = []
    private(set) var words: [SpokenWord] = []
    /// Whether case says nothing: nearly all words are in capitals, or there are no capitals except
    /// `I`. Then known names and places count as capitalised.
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

    /// Changes every word to lower case, and gives known names and places a capital letter.
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

/// One word of a transcription, with its surroundings.
struct SpokenWord: Sendable, Equatable {
    /// The word as said, without the possessive `'s`.
    let text: String
    /// The word in lower case.
    let key: String
    /// The number of its sentence, from zero.
    let sentence: Int
    /// Whether `'s`, or `'` after an s, was removed.
    let isPossessive: Bool
    /// Whether it is the first word of its sentence. Then its capital letter says little.
    let startsSentence: Bool
    /// The text between the previous word and this one.
    let gap: Gap

    enum Gap: Sendable { case space, comma, other }

    /// Whether the first letter is a capital letter.
    var isCapitalised: Bool { text.first?.isUppercase == true }

    /// Whether it has only capital letters and digits, and more than one: `MIT`, `TV`.
    var isAcronym: Bool {
        text.count > 1 && text.allSatisfy { $0.isUppercase || $0.isNumber }
    }

    /// The word in the form of the lists of names.
    var name: String { GivenNames.folded(key) }

    /// The word with its possessive.
    var spoken: String { isPossessive ? text + "'s" : text }

    /// The word and those that it may be a form of: `meetings` → `meeting`, `meet`; `baked` →
    /// `bake`.
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
