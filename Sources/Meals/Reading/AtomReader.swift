/// Tokens to atoms. The longest food's name that begins at a token goes before everything else that
/// the token could mean.
struct AtomReader {
    private let tokens: [Token]
    private let mended: Set<Int>
    private let lookup: FoodLookup
    private var atoms: [Atom] = []

    static func atoms(
        of tokens: [Token], mended: Set<Int> = [], lookup: FoodLookup
    ) -> [Atom] {
        var reader = Self(tokens: tokens, mended: mended, lookup: lookup)
        reader.run()
        return reader.atoms
    }

    private init(tokens: [Token], mended: Set<Int>, lookup: FoodLookup) {
        self.tokens = tokens
        self.mended = mended
        self.lookup = lookup
    }

    private mutating func run() {
        var at = 0
        while at < tokens.count {
            if let (name, next) = name(at) {
                // "baked sweet potato fries" are sweet potato fries, not a baked sweet potato.
                if name.words.count > 1, Lexicon.roles[name.words[0]] == .modifier,
                    let (later, end) = self.name(at + 1), end > next, later.words.count > 1
                {
                    atoms.append(.modifier(tokens[at].text))
                    atoms.append(.food(later))
                    at = end
                    continue
                }
                // "sugar free", "dairy free"
                if next < tokens.count, tokens[next].lemma == "free" {
                    at = next + 1
                    continue
                }
                atoms.append(.food(name))
                at = next
            } else if let (amount, next) = AmountReader(tokens: tokens, reader: self).amount(at) {
                if let amount { atoms.append(.amount(amount)) }
                at = next
            } else {
                small(tokens[at])
                at += 1
            }
        }
    }

    /// The food's name that begins here.
    func name(_ at: Int) -> (name: Atom.Name, next: Int)? {
        guard at < tokens.count, tokens[at].kind == .word else { return nil }
        let rest = tokens[at...].prefix(FoodIndex.nameWordsMax)
        let lemmas = rest.prefix { $0.kind == .word }.map(\.lemma)
        guard let (food, count) = lookup.longest(lemmas) else { return nil }
        if let listed = listed(at, longerThan: count) { return listed }
        let isMended = (at..<(at + count)).contains { mended.contains($0) }
        let name = Atom.Name(
            food: food, words: Array(lemmas[..<count]),
            isPlural: Lemma.isPlural(tokens[at + count - 1].text), isMended: isMended)
        return (name, at + count)
    }

    /// A name that a person wrote with its commas: "bacon, lettuce and tomato sandwich".
    private func listed(_ at: Int, longerThan count: Int) -> (name: Atom.Name, next: Int)? {
        guard at + count < tokens.count, tokens[at + count].kind == .comma else { return nil }
        let places = (at..<min(tokens.count, at + FoodIndex.nameWordsMax)).filter {
            tokens[$0].kind != .comma
        }
        let lemmas = places.map { tokens[$0].lemma }
        guard let (food, found) = lookup.longest(lemmas), found > count + 1,
            lemmas[..<found].contains("and")
        else { return nil }
        let last = places[found - 1]
        let name = Atom.Name(
            food: food, words: Array(lemmas[..<found]), isPlural: Lemma.isPlural(tokens[last].text),
            isMended: places[..<found].contains { mended.contains($0) })
        return (name, last + 1)
    }

    func isUnit(_ lemma: String) -> Bool {
        lookup.isUnit(lemma)
    }

    private mutating func small(_ token: Token) {
        switch token.kind {
        case .comma: atoms.append(.link(.comma))
        case .stop: atoms.append(.link(.stop))
        case .colon, .dash: atoms.append(.link(.colon))
        case .open: atoms.append(.link(.open))
        case .close: atoms.append(.link(.comma))
        case .number: break
        case .word: word(token)
        }
    }

    private mutating func word(_ token: Token) {
        switch Lexicon.roles[token.lemma] {
        case .and: atoms.append(.link(.and))
        case .with: atoms.append(.link(.with))
        case .or: atoms.append(.link(.or))
        case .without: atoms.append(.link(.without))
        case .aside: atoms.append(.link(.aside))
        case .modifier: atoms.append(.modifier(token.text))
        case .filler: break
        case nil:
            if lookup.isUnit(token.lemma) || Lexicon.knows(token.lemma) {
                break
            } else if token.text.hasSuffix("%") {
                atoms.append(.modifier(token.text))
            } else if token.text.utf8.count > 1 {
                atoms.append(.unknown(token.text))
            }
        }
    }
}
