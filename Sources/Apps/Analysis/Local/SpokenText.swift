/// A transcription split into sentences and words.
///
/// The split is linear in the text's length. ``SentenceStop`` says where sentences end. A full stop
/// ends none if it follows a title (`Dr.`) or an initial, is inside a word (`3.5`), or ends an
/// abbreviation (`5 p.m. with`, `No. 7`).
struct SpokenText: Sendable {
    /// Trimmed, with their closing punctuation.
    private(set) var sentences: [String] = []
    private(set) var words: [SpokenWord] = []
    /// For each sentence, the index behind its last word.
    private let wordEnds: [Int]
    /// Whether case says nothing: nearly all words are in capitals, or there are no capitals except
    /// `I`. Then known names and places count as capitalised.
    let isUncased: Bool

    private static let titles: Set<String> = [
        "dr", "mr", "mrs", "ms", "prof", "st", "jr", "sr", "vs", "mt",
    ]

    init(_ text: String) {
        var builder = Builder()
        let characters = Array(text)
        let isCased = zip(characters, characters.dropFirst()).contains {
            $0.isUppercase && $1.isLowercase
        }
        var index = 0
        while index < characters.count {
            let next = index + 1 < characters.count ? characters[index + 1] : nil
            if !builder.joins(characters[index], next: next),
                let stop = SentenceStop(in: characters, at: index)
            {
                builder.take(stop, characters[index..<stop.end], isCased: isCased)
                index = stop.end
            } else {
                builder.take(characters[index], next: next)
                index += 1
            }
        }
        builder.endSentence()
        wordEnds = builder.wordEnds
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
        words[(number == 0 ? 0 : wordEnds[number - 1])..<wordEnds[number]]
    }

    private struct Builder {
        var sentences: [String] = []
        var words: [SpokenWord] = []
        var wordEnds: [Int] = []
        private var sentence = ""
        private var word = ""
        private var gap = SpokenWord.Gap.space
        private var isFirst = true

        /// Whether a character is inside a word: `3.5`, `o'clock`.
        func joins(_ character: Character, next: Character?) -> Bool {
            "'’-&.".contains(character) && !word.isEmpty
                && (next?.isLetter == true || next?.isNumber == true)
        }

        mutating func take(_ character: Character, next: Character?) {
            sentence.append(character)
            if character.isLetter || character.isNumber || joins(character, next: next)
                || ("'’".contains(character) && word.lowercased().hasSuffix("s"))
            {
                word.append(character == "’" ? "'" : character)
                return
            }
            endWord()
            switch character {
            case "&":
                word = "and"
                endWord()
            case ",": gap = .comma
            case _ where character.isNewline: endSentence()
            case _ where character.isWhitespace: break
            default: gap = .other
            }
        }

        mutating func take(
            _ stop: SentenceStop, _ characters: ArraySlice<Character>, isCased: Bool
        ) {
            sentence.append(contentsOf: characters)
            let last = word
            endWord()
            if stop.isFullStop, Self.isAbbreviation(last, before: stop.following) { return }
            if stop.endsSentence(isCased: isCased) { endSentence() } else { gap = .other }
        }

        /// Whether a full stop behind a word belongs to the word and ends no sentence.
        private static func isAbbreviation(_ word: String, before following: Character?) -> Bool {
            let key = word.lowercased()
            let isInitial = word.count == 1 && word.first?.isUppercase == true && word != "I"
            let isShort = word.contains(".") && word.contains(where: \.isLetter)
            return isInitial || SpokenText.titles.contains(key)
                || isShort && following?.isLowercase == true
                || key == "no" && following?.isNumber == true
        }

        mutating func endSentence() {
            endWord()
            let trimmed = sentence.drop(while: \.isWhitespace)
            let isEmpty = !trimmed.contains { $0.isLetter || $0.isNumber }
            if !isEmpty {
                let end = trimmed.lastIndex { !$0.isWhitespace } ?? trimmed.startIndex
                sentences.append(String(trimmed[...end]))
                wordEnds.append(words.count)
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
