/// Shops, restaurants and makers, from `brands.txt`.
struct Brand: Sendable, Equatable {
    /// Lemmas of the name.
    let words: [String]
    /// The food that the bare brand stands for: a KFC, a Lean Cuisine.
    let food: String?

    /// By the first lemma, the longest first.
    private static let brands: [String: [Brand]] = {
        var brands: [String: [Brand]] = [:]
        let text = String(decoding: PackageResources.brands_txt, as: UTF8.self)
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: "|").map { $0.split(separator: " ") }
            let words = parts[0].map { Lemma.of(String($0)) }
            let food = parts.count > 1 ? parts[1].joined(separator: " ") : nil
            brands[words[0], default: []].append(Brand(words: words, food: food))
        }
        return brands.mapValues { $0.sorted { $0.words.count > $1.words.count } }
    }()

    private static let lemmas = Set(brands.values.joined().flatMap(\.words))

    /// The longest brand that begins here. "5" begins one as a number.
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
