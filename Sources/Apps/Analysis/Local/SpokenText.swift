/// A transcription split into sentences and words.
///
/// The split is linear in the text's length. A full stop ends a sentence unless it follows a title
/// (`Dr.`) or an initial, is inside a word (`3.5`), or ends an abbreviation (`5 p.m. with`, `No. 7`).
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
            let following =
                character == "." ? characters[(index + 1)...].first { !$0.isWhitespace } : nil
            builder.take(character, next: next, following: following)
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

        /// - Parameter following: after a full stop, the next character that is no blank.
        mutating func take(_ character: Character, next: Character?, following: Character?) {
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
                let isAbbreviated =
                    ended.contains(".") && ended.contains(where: \.isLetter)
                    && following?.isLowercase == true
                    || ended.lowercased() == "no" && following?.isNumber == true
                let isTitle = SpokenText.titles.contains(ended.lowercased())
                if !isTitle && !isInitial && !isAbbreviated { endSentence() }
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
