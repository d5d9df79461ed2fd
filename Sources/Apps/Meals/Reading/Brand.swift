import TextTables

/// A shop, restaurant or manufacturer.
struct Brand: Sendable, Equatable {
    /// The lemmas of the name.
    let words: [String]
    /// The food that the brand means on its own: a KFC, a Lean Cuisine. Nil if there is none.
    let food: String?

    /// Brands by their first lemma, the longest first.
    private static let brands = MealWords.current.brands.brands

    private static let lemmas = Set(brands.values.joined().flatMap(\.words))

    /// The longest brand that begins here. The number 5 counts as a word, for "5 guys".
    static func longest(_ tokens: ArraySlice<Token>) -> Brand? {
        guard let first = tokens.first else { return nil }
        return brands[word(first)]?.first { brand in
            tokens.count >= brand.words.count
                && zip(brand.words, tokens).allSatisfy { $0 == word($1) }
        }
    }

    /// Whether a word is part of a brand's name.
    static func knows(_ lemma: String) -> Bool {
        lemmas.contains(lemma)
    }

    private static func word(_ token: Token) -> String {
        if case .number(let value, false) = token.kind, value == 5 { "5" } else { token.lemma }
    }
}
