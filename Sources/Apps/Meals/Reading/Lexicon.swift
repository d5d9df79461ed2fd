/// The small words of sentences about meals, by lemma: those of `words.txt`, and the numbers.
enum Lexicon {
    /// What a word does in a sentence, where it isn't part of a food's name.
    enum Role: Sendable, Equatable {
        case link(Atom.Link)
        case cue(Atom.Cue)
        /// How it was made, or what kind.
        case modifier
        /// Nothing.
        case filler

        /// - Parameter section: as `words.txt` calls it.
        fileprivate init?(section: String) {
            switch section {
            case "filler": self = .filler
            case "modifier", "preparation": self = .modifier
            default:
                if let link = Atom.Link(rawValue: section) {
                    self = .link(link)
                } else if let cue = Atom.Cue(rawValue: section) {
                    self = .cue(cue)
                } else {
                    return nil
                }
            }
        }
    }

    private struct Words {
        var roles: [String: Role] = [:]
        /// By the first lemma, the longest first.
        var phrases: [String: [(lemmas: [String], role: Role)]] = [:]
        var preparations: Set<String> = []
    }

    private static let words: Words = {
        var words = Words()
        var role: Role?
        var section = ""
        let text = String(decoding: PackageResources.words_txt, as: UTF8.self)
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix("[") {
                section = String(line.dropFirst().dropLast())
                role = Role(section: section)
                precondition(role != nil, "BUG: words.txt has a section \(section)")
                continue
            }
            guard let role else { preconditionFailure("BUG: words.txt begins without a section") }
            for word in line.split(separator: " ") {
                let lemmas = word.split(separator: "_").map { Lemma.of(String($0)) }
                if lemmas.count == 1 {
                    words.roles[lemmas[0]] = role
                    if section == "preparation" { words.preparations.insert(String(word)) }
                } else {
                    words.phrases[lemmas[0], default: []].append((lemmas, role))
                }
            }
        }
        for (first, phrases) in words.phrases {
            words.phrases[first] = phrases.sorted { $0.lemmas.count > $1.lemmas.count }
            for lemma in phrases.flatMap(\.lemmas) where words.roles[lemma] == nil {
                words.roles[lemma] = .filler
            }
        }
        return words
    }()

    /// Single words' roles.
    static var roles: [String: Role] { words.roles }

    /// Ways of making that belong into the name of an item.
    static var preparations: Set<String> { words.preparations }

    /// The longest phrase of `words.txt` that the lemmas begin with.
    static func phrase(_ lemmas: [String]) -> (role: Role, count: Int)? {
        guard let first = lemmas.first else { return nil }
        let found = words.phrases[first]?.first { lemmas.starts(with: $0.lemmas) }
        return found.map { ($0.role, $0.lemmas.count) }
    }

    /// Words of the longest phrase.
    static let phraseWordsMax = 4

    /// Numbers in words, by lemma.
    static let numbers: [String: Double] = [
        "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
        "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13,
        "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
        "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
        "seventy": 70, "eighty": 80, "ninety": 90, "single": 1, "both": 2, "pair": 2,
        "twice": 2, "another": 1,
    ]

    /// Amounts that are about so many.
    static let about: [String: Double] = [
        "couple": 2, "few": 3, "several": 4, "lot": 1.5, "plenty": 1.5, "tons": 2, "load": 1.5,
    ]

    /// Parts of one.
    static let parts: [String: Double] = [
        "half": 0.5, "quarter": 0.25, "third": 1.0 / 3, "fourth": 0.25, "eighth": 0.125,
    ]

    /// Sizes, and what they make of a usual portion.
    static let sizes: [String: Double] = [
        "small": 0.75, "little": 0.75, "mini": 0.5, "tiny": 0.5, "medium": 1, "regular": 1,
        "large": 1.35, "big": 1.35, "huge": 1.6, "giant": 1.6, "jumbo": 1.6, "xl": 1.5,
        "tall": 1.2, "grande": 1.6, "venti": 2, "double": 2, "triple": 3, "whole": 1,
        "personal": 1, "generous": 1.3, "heaping": 1.3, "heaped": 1.3, "baby": 0.5, "kid": 0.7,
        "level": 1, "footlong": 2, "individual": 1,
    ]

    /// Sizes that a food's table may have under another word.
    static let sizesAlike: [String: String] = [
        "big": "large", "huge": "large", "giant": "large", "jumbo": "large", "xl": "large",
        "little": "small", "tiny": "small", "mini": "small", "regular": "medium", "kid": "small",
        "grande": "large", "venti": "large", "tall": "medium",
    ]

    static func isAbbreviation(_ text: [UInt8]) -> Bool {
        let word = String(decoding: text, as: UTF8.self)
        return Measure.measured[word] != nil || Measure.sameAs[word] != nil
            || ["tbsp", "tsp", "lbs", "approx", "med", "lg", "sm", "fl"].contains(word)
    }

    /// Whether a word means something here, as other than a food.
    static func knows(_ lemma: String) -> Bool {
        roles[lemma] != nil || numbers[lemma] != nil || about[lemma] != nil || parts[lemma] != nil
            || sizes[lemma] != nil || Measure.measured[lemma] != nil
            || Measure.sameAs[lemma] != nil || Measure.vessels[lemma] != nil
            || Measure.pieces[lemma] != nil
            || [
                "dozen", "hundred", "x", "serving", "piece", "fl",
                "fluid", "time",
            ].contains(lemma)
    }

    /// Words that people misspell and that are no foods' names.
    static let correctable: [String] =
        (Array(numbers.keys) + Array(sizes.keys) + Array(Measure.vessels.keys)
        + Array(Measure.pieces.keys) + Array(Measure.sameAs.keys) + [
            "serving", "piece", "dozen", "ounce", "gram", "kilogram", "without", "grilled",
            "scrambled", "roasted", "steamed", "breakfast", "lunch", "dinner", "toasted",
        ]).sorted()
}

/// Makes two forms of a word equal: the singular, more or less.
///
/// Names in the table and words of a sentence go through the same rules, so that what comes out need
/// not be English (`cookies`, `cookie` → `cooky`), only the same.
enum Lemma {
    private static let irregular: [String: String] = [
        "leaves": "leaf", "loaves": "loaf", "halves": "half", "quiches": "quiche",
        "quiche": "quiche", "knives": "knife", "geese": "goose", "gas": "gas", "yes": "yes",
        "oz": "oz", "lbs": "lb", "his": "his", "was": "was", "has": "has", "does": "does",
        "brioches": "brioche", "brioche": "brioche", "pies": "pie", "ties": "tie",
        "avocadoes": "avocado", "avocados": "avocado", "veg": "veg",
    ]

    /// - Input: lower-cased ASCII. Linear in the word.
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

    /// Whether a word looks like more than one.
    static func isPlural(_ word: String) -> Bool {
        word.utf8.last == UInt8(ascii: "s") && of(word) != word
    }
}

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
