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
            let brand = Brand.longest(tokens[at...])
            if let (role, count) = phrase(at) {
                take(role, tokens[at])
                at += count
            } else if let brand, brand.words.count > (name(at).map { $0.next - at } ?? 0) {
                atoms.append(.brand(brand))
                at += brand.words.count
            } else if let next = timeOfDay(at) {
                at = next
            } else if let (name, next) = name(at) {
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
            } else if let (figure, next) = AmountReader(tokens: tokens, reader: self).figure(at) {
                if let figure { atoms.append(figure) }
                at = next
            } else {
                small(at)
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

    /// The phrase that begins here.
    private func phrase(_ at: Int) -> (role: Lexicon.Role, count: Int)? {
        let words = tokens[at...].prefix(Lexicon.phraseWordsMax).prefix { $0.kind == .word }
        return Lexicon.phrase(words.map(\.lemma))
    }

    /// What comes after "at ten", "around 3": a number that counts nothing.
    private func timeOfDay(_ at: Int) -> Int? {
        guard Lexicon.roles[tokens[at].lemma] == .link(.aside), tokens[at].lemma != "for",
            at + 1 < tokens.count,
            let (figure, next) = AmountReader(tokens: tokens, reader: self).figure(at + 1),
            case .amount(let amount) = figure, amount.unit == nil, amount.size == nil,
            amount.certainty == .said, amount.quantity <= 24
        else { return nil }
        guard next < tokens.count, tokens[next].kind == .word else { return next }
        let role = Lexicon.roles[tokens[next].lemma]
        return name(next) == nil && role != nil && role != .modifier ? next : nil
    }

    private mutating func small(_ at: Int) {
        let token = tokens[at]
        switch token.kind {
        case .comma: atoms.append(.link(.comma))
        case .stop: atoms.append(.link(.stop))
        case .colon, .dash: atoms.append(.link(.colon))
        case .open: atoms.append(.link(.open))
        case .close: atoms.append(.link(.comma))
        case .number: break
        case .word:
            if let cue = denied(at) {
                atoms.append(.cue(cue))
            } else {
                take(Lexicon.roles[token.lemma], token)
            }
        }
    }

    /// What "no" and "not" do where they are not about the food after them: "wait, no, …", "did not
    /// have".
    private func denied(_ at: Int) -> Atom.Cue? {
        guard ["no", "not"].contains(tokens[at].lemma) else { return nil }
        guard at + 1 < tokens.count, tokens[at + 1].kind == .word else { return .correction }
        switch Lexicon.roles[tokens[at + 1].lemma] {
        case .cue(.ate), .cue(.finished), .cue(.skipped), .cue(.wanted), .cue(.acquired):
            return .denial
        case .cue(.only), .cue(.correction), .cue(.pronoun), .cue(.speaker):
            return tokens[at].lemma == "no" ? .correction : nil
        default:
            return nil
        }
    }

    private mutating func take(_ role: Lexicon.Role?, _ token: Token) {
        switch role {
        case .link(let link): atoms.append(.link(link))
        case .cue(let cue): atoms.append(.cue(cue))
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
