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
    /// Calories that somebody knows.
    case energy(Energy)
    case brand(Brand)
    case modifier(String)
    case unknown(String)
    /// What parts clauses, and how.
    case link(Link)
    /// What says whether it was eaten.
    case cue(Cue)

    /// How a clause hangs on to the one before. The raw values are sections of `words.txt`.
    enum Link: String, Sendable, Equatable {
        /// The sentence begins, or begins anew.
        case stop
        case comma
        /// A colon or dash: what follows may be the amount of what came before.
        case colon
        /// A parenthesis: likewise, and it may be an amount said once more.
        case open
        case and
        /// What follows is added to what came before.
        case with
        /// What follows is what it was made of.
        case made
        case or
        /// What follows wasn't in it.
        case without
        /// At, after, from: unknown words are no foods.
        case aside
    }
    /// Words that say who ate what, and what not. `words.txt` has them, a section each, and says what
    /// they mean.
    enum Cue: String, Sendable, Equatable {
        case ate, finished, skipped, wanted, acquired, replaced
        case denial, supposed, somebody, speaker
        case but, only, instead, correction, hesitation
        case pronoun, object, shared, shop
    }

    /// Calories as a sentence gives them.
    struct Energy: Sendable, Equatable {
        var kilocalories: Double
        var certainty: Amount.Certainty
        /// Of one, where there are several.
        var isEach = false
        /// Of all that was said.
        var isTotal = false
    }
}
