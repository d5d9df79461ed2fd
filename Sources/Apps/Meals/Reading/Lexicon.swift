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
        fileprivate init?(name: String) {
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

/// The rows of `words.tsv`.
struct WordRoles: Sendable {
    var roles: [String: Lexicon.Role] = [:]
    /// Phrases by their first lemma, the longest first.
    var phrases: [String: [(lemmas: [String], role: Lexicon.Role)]] = [:]
    var preparations: Set<String> = []

    static let table = BuiltInTable(
        TableForm("words", version: 1, columns: ["role", "words"]), Embedded.words_tsv)

    init(_ rows: [TableRow]) throws(TableFault) {
        for row in rows {
            let name = row.text("role")
            guard let role = Lexicon.Role(name: name) else {
                throw row.fault("role", .notLike("a role that the built-in table has"))
            }
            for word in row.words("words") {
                let lemmas = word.split(separator: " ").map { Lemma.of(String($0)) }
                if lemmas.count == 1 {
                    roles[lemmas[0]] = role
                    if name == "preparation" { preparations.insert(word) }
                } else {
                    phrases[lemmas[0], default: []].append((lemmas, role))
                }
            }
        }
        for (first, some) in phrases {
            phrases[first] = some.sorted { $0.lemmas.count > $1.lemmas.count }
            for lemma in some.flatMap(\.lemmas) where roles[lemma] == nil {
                roles[lemma] = .filler
            }
        }
    }
}

/// The rows of `amounts.tsv`: number words, approximate amounts, fractions and sizes.
struct AmountWords: Sendable {
    enum Kind: String, CaseIterable {
        case number, multiple, about, part, size
    }

    private var values: [Kind: [String: Double]] = [:]
    /// For a size, another size under which a food's table may give the weight.
    private(set) var alike: [String: String] = [:]

    static let table = BuiltInTable(
        TableForm("amounts", version: 2, columns: ["kind", "value", "like", "words"]),
        Embedded.amounts_tsv)

    init(_ rows: [TableRow]) throws(TableFault) {
        for row in rows {
            let kind: Kind = try row.choice("kind")
            let value = try row.neededNumber("value", in: 0...1e6)
            let like = row.text("like")
            for word in row.words("words") {
                values[kind, default: [:]][word] = value
                if kind == .size { alike[word] = like.isEmpty ? nil : like }
            }
        }
    }

    subscript(kind: Kind) -> [String: Double] { values[kind] ?? [:] }
}

/// Maps the forms of a word to one form, roughly the singular.
///
/// Food names and sentences go through the same rules. So a lemma need not be English (`cookies`,
/// `cookie` → `cooky`), only the same for all forms.
enum Lemma {
    private static let irregular: [String: String] = [
        "leaves": "leaf", "loaves": "loaf", "halves": "half", "quiches": "quiche",
        "quiche": "quiche", "knives": "knife", "geese": "goose", "gas": "gas", "yes": "yes",
        "oz": "oz", "lbs": "lb", "his": "his", "was": "was", "has": "has", "does": "does",
        "brioches": "brioche", "brioche": "brioche", "pies": "pie", "ties": "tie",
        "avocadoes": "avocado", "avocados": "avocado", "veg": "veg",
    ]

    /// The lemma of a word in lower-cased ASCII. Linear in the word.
    static func of(_ word: String) -> String {
        if let lemma = irregular[word] { return lemma }
        let count = word.utf8.count
        guard count >= 4 else { return word }
        if count >= 5 {
            if word.hasSuffix("ies") { return word.dropLast(3) + "y" }
            if word.hasSuffix("ie") { return word.dropLast(2) + "y" }
        }
        guard word.hasSuffix("s"), !word.hasSuffix("ss"), !word.hasSuffix("us"),
            !word.hasSuffix("is")
        else { return word }
        for ending in ["ches", "shes", "sses", "xes", "zes", "oes"] where word.hasSuffix(ending) {
            return String(word.dropLast(2))
        }
        return String(word.dropLast())
    }

    /// Whether a word looks like a plural.
    static func isPlural(_ word: String) -> Bool {
        word.utf8.last == UInt8(ascii: "s") && of(word) != word
    }
}

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

/// The rows of `brands.tsv`; a later row of a brand replaces an earlier one.
struct BrandList: Sendable {
    /// Brands by their first lemma, the longest first.
    let brands: [String: [Brand]]

    static let table = BuiltInTable(
        TableForm("brands", version: 1, columns: ["brand", "food"]), Embedded.brands_tsv)

    init(_ rows: [TableRow]) throws(TableFault) {
        var brands: [String: [Brand]] = [:]
        // Lookups find the first of several equal brands, so the last row must come first.
        for row in rows.reversed() {
            let words = try row.neededText("brand").split(separator: " ").map {
                Lemma.of(String($0))
            }
            let food = row.text("food")
            brands[words[0], default: []].append(
                Brand(words: words, food: food.isEmpty ? nil : food))
        }
        self.brands = brands.mapValues { $0.sorted { $0.words.count > $1.words.count } }
    }
}
