/// A piece of a sentence.
struct Token: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case word
        /// A fraction is what may follow a whole number: 1 ½.
        case number(Double, isFraction: Bool)
        /// `,` and `/` and `+`
        case comma
        /// End of a sentence, of a line, `;`
        case stop
        case colon
        /// A dash that joins no two words.
        case dash
        case open
        case close
    }

    var kind: Kind
    /// Lower-cased ASCII, for words and `2%`.
    var text = ""
    /// What words are compared by.
    var lemma = ""

    static func word(_ text: String) -> Self {
        Self(kind: .word, text: text, lemma: Lemma.of(text))
    }

    static func number(_ value: Double, isFraction: Bool = false) -> Self {
        Self(kind: .number(value, isFraction: isFraction))
    }
}
