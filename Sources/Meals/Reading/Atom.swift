/// A piece of a sentence that has a meaning of its own.
enum Atom: Sendable, Equatable {
    /// Words that are a food's name.
    struct Name: Sendable, Equatable {
        var food: Food
        /// Lemmas, small words included.
        var words: [String]
        /// The last word is more than one.
        var isPlural: Bool
        /// A word of it was misspelt.
        var isMended: Bool
    }

    case food(Name)
    case amount(Amount)
    case modifier(String)
    case unknown(String)
    /// What parts clauses, and how.
    case link(Link)

    /// How a clause hangs on to the one before.
    enum Link: Sendable, Equatable {
        /// The sentence begins, or begins anew.
        case stop
        case comma
        /// A colon or dash: what follows may be the amount of what came before.
        case colon
        /// A parenthesis: likewise, and it may be an amount said once more.
        case open
        case and
        case with
        case or
        case without
        /// At, after, from: unknown words are no foods.
        case aside
    }
}
