/// A word, number or separator of a sentence.
struct Token: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case word
        /// A fraction may follow a whole number: 1 ½.
        case number(Double, isFraction: Bool)
        /// One of `,` `/` `+`.
        case comma
        /// The end of a sentence or line, or `;`.
        case stop
        case colon
        /// A dash that does not join two words.
        case dash
        case open
        case close
    }

    var kind: Kind
    /// The text of words and of `2%`, in lower-cased ASCII.
    var text = ""
    /// The form by which words are compared.
    var lemma = ""

    static func word(_ text: String) -> Self {
        Self(kind: .word, text: text, lemma: Lemma.of(text))
    }

    static func number(_ value: Double, isFraction: Bool = false) -> Self {
        Self(kind: .number(value, isFraction: isFraction))
    }
}
