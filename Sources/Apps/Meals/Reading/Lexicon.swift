import TextTables

/// The words of sentences about meals that are not foods, by lemma.
enum Lexicon {
    /// The role of a word that is not part of a food's name.
    enum Role: Sendable, Equatable {
        case link(Atom.Link)
        case cue(Atom.Cue)
        /// Says how the food was made or of what kind it is.
        case modifier
        /// Has no meaning and is skipped.
        case filler

        /// - Parameter name: the role's name in `words.tsv`.
        init?(name: String) {
            switch name {
            case "filler": self = .filler
            case "modifier", "preparation": self = .modifier
            default:
                if let link = Atom.Link(rawValue: name) {
                    self = .link(link)
                } else if let cue = Atom.Cue(rawValue: name) {
                    self = .cue(cue)
                } else {
                    return nil
                }
            }
        }
    }

    private static let words = MealWords.current.words
    private static let amounts = MealWords.current.amounts

    /// The roles of single words.
    static let roles = words.roles

    /// Preparations that become part of an item's name.
    static let preparations = words.preparations

    /// The longest phrase of `words.tsv` that the lemmas begin with.
    static func phrase(_ lemmas: [String]) -> (role: Role, count: Int)? {
        guard let first = lemmas.first else { return nil }
        let found = words.phrases[first]?.first { lemmas.starts(with: $0.lemmas) }
        return found.map { ($0.role, $0.lemmas.count) }
    }

    /// The number of words in the longest phrase.
    static let phraseWordsMax =
        words.phrases.values.joined().map(\.lemmas.count).max() ?? 0

    /// The values of number words, by lemma.
    static let numbers = amounts[.number]
    /// The values of words that multiply a number, by lemma.
    static let multiples = amounts[.multiple]
    /// The values of approximate amounts.
    static let about = amounts[.about]
    /// The values of words for fractions.
    static let parts = amounts[.part]
    /// The factors by which sizes change a usual portion.
    static let sizes = amounts[.size]
    /// For a size, another size under which a food's table may give the weight.
    static let sizesAlike = amounts.alike

    static func isAbbreviation(_ text: [UInt8]) -> Bool {
        let word = String(decoding: text, as: UTF8.self)
        return Measure.measured[word] != nil || Measure.sameAs[word] != nil
            || ["tbsp", "tsp", "lbs", "approx", "med", "lg", "sm", "fl"].contains(word)
    }

    /// Whether a word has a meaning other than as a food.
    static func knows(_ lemma: String) -> Bool {
        roles[lemma] != nil || numbers[lemma] != nil || about[lemma] != nil || parts[lemma] != nil
            || sizes[lemma] != nil || Measure.measured[lemma] != nil
            || Measure.sameAs[lemma] != nil || Measure.vessels[lemma] != nil
            || Measure.pieces[lemma] != nil
            || multiples[lemma] != nil
            || ["x", "serving", "piece", "fl", "fluid", "time"].contains(lemma)
    }

    /// Words that are often misspelt and are not foods' names.
    static let correctable: [String] =
        (Array(numbers.keys) + Array(sizes.keys) + Array(Measure.vessels.keys)
        + Array(Measure.pieces.keys) + Array(Measure.sameAs.keys) + [
            "serving", "piece", "dozen", "ounce", "gram", "kilogram", "without", "grilled",
            "scrambled", "roasted", "steamed", "breakfast", "lunch", "dinner", "toasted",
        ]).sorted()
}
