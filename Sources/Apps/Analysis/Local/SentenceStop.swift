/// Terminal marks of any script, and the quotes and brackets that close behind them: `?!”`.
struct SentenceStop {
    /// The index behind the last character.
    let end: Int
    /// Whether it is one full stop, which may belong to an abbreviation.
    let isFullStop: Bool
    /// The next character that is no white space; nil at the text's end.
    let following: Character?
    private let isSpaced: Bool
    private let needsSpace: Bool
    private let mayContinue: Bool

    /// Reads the marks and closers from `start` on; nil if no terminal mark is there.
    init?(in characters: [Character], at start: Int) {
        guard Self.isMark(characters[start]) else { return nil }
        var end = start + 1
        while end < characters.count,
            Self.isMark(characters[end]) || Self.isCloser(characters[end])
        {
            end += 1
        }
        isSpaced = end == characters.count || characters[end].isWhitespace
        if !isSpaced {
            // They open the next sentence.
            while Self.ambiguous.contains(characters[end - 1]) { end -= 1 }
        }
        let run = characters[start..<end]
        self.end = end
        isFullStop = run.elementsEqual(["."])
        following = characters[end...].first { !$0.isWhitespace }
        needsSpace = run.allSatisfy { !Self.isMark($0) || Self.needsSpace($0) }
        mayContinue = !run.allSatisfy { $0 == "." || $0 == "…" }
    }

    /// Whether a sentence ends here. `"Really?" asked Anna` goes on.
    ///
    /// - Parameter isCased: whether the text uses capitals; if not, a small letter says nothing.
    func endsSentence(isCased: Bool) -> Bool {
        guard needsSpace else { return true }
        return isSpaced && !(mayContinue && isCased && following?.isLowercase == true)
    }

    /// Whether a sentence may end with the character.
    static func isMark(_ character: Character) -> Bool {
        guard let scalar = character.unicodeScalars.first else { return false }
        return scalar.properties.isSentenceTerminal || more.contains(scalar)
    }

    /// Whether the character closes a quotation or a bracket. Some also open one.
    static func isCloser(_ character: Character) -> Bool {
        switch character.unicodeScalars.first?.properties.generalCategory {
        case .closePunctuation, .finalPunctuation: true
        default: ambiguous.contains(character)
        }
    }

    /// Terminal marks that Unicode's property lacks, in all or some of its versions.
    private static let more: Set<Unicode.Scalar> = ["…", "។", "៕", "︒"]
    /// Quotes that open in some languages and close in others.
    private static let ambiguous: Set<Character> = ["\"", "'", "“", "‘", "«", "‹", "＂", "＇"]

    /// ASCII and general punctuation also occur inside words, such as addresses.
    private static func needsSpace(_ mark: Character) -> Bool {
        mark.isASCII
            || mark.unicodeScalars.first.map { (0x2000...0x206F).contains($0.value) } == true
    }
}
