/// A part of a sentence with a meaning of its own.
enum Atom: Sendable, Equatable {
    /// A food and the words that name it.
    struct Name: Sendable, Equatable {
        var food: Food
        /// The lemmas of the name, including words such as "and".
        var words: [String]
        /// The last word is a plural.
        var isPlural: Bool
        /// The spelling of one of the words was corrected.
        var isMended: Bool
    }

    case food(Name)
    case amount(Amount)
    /// Calories that the sentence gives.
    case energy(Energy)
    case brand(Brand)
    case modifier(String)
    case unknown(String)
    /// Separates two clauses.
    case link(Link)
    /// Says whether foods were eaten.
    case cue(Cue)

    /// How a clause is connected to the one before. The raw values are roles of `words.tsv`.
    enum Link: String, Sendable, Equatable {
        /// The beginning of a sentence.
        case stop
        case comma
        /// A colon or dash. The text after it may be the amount of the food before it.
        case colon
        /// A parenthesis. The text in it may be the amount of the food before it, or the same
        /// amount again.
        case open
        case and
        /// The foods after it are added to the ones before.
        case with
        /// The foods after it are ingredients of the one before.
        case made
        case or
        /// The food after it was left out.
        case without
        /// "at", "after", "from": unknown words after it are not foods.
        case aside
    }
    /// Words that say who ate what and what was not eaten. `words.tsv` lists them by role and
    /// explains the roles.
    enum Cue: String, Sendable, Equatable {
        case ate, finished, skipped, wanted, acquired, replaced
        case denial, supposed, somebody, speaker
        case but, only, instead, correction, hesitation
        case pronoun, object, shared, shop
    }

    /// The calories that a sentence gives.
    struct Energy: Sendable, Equatable {
        var kilocalories: Double
        var certainty: Amount.Certainty
        /// The calories are for one of several.
        var isEach = false
        /// The calories are for the whole sentence.
        var isTotal = false
    }
}
