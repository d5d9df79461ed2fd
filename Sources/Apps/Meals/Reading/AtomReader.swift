/// Turns tokens into atoms. At each token the first of these that matches wins: a phrase of
/// `words.tsv`, a brand with more words than the food name here, a time of day, the longest food
/// name, an amount or calories, a single word of `words.tsv`.
struct AtomReader {
    private let tokens: [Token]
    private let mended: Set<Int>
    let lookup: FoodLookup
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
            let nameWords = name(at).map { $0.next - at } ?? 0
            if let (role, count) = phrase(at), count >= nameWords {
                // "low fat" is the modifier "lowfat".
                take(role, .word(tokens[at..<(at + count)].map(\.text).joined()))
                at += count
            } else if let brand, brand.words.count > nameWords {
                atoms.append(.brand(brand))
                at += brand.words.count
            } else if let next = timeOfDay(at) {
                at = next
            } else if let (name, next) = name(at) {
                // "baked sweet potato fries" are baked "sweet potato fries", not a "baked sweet
                // potato".
                if name.words.count > 1, Lexicon.roles[name.words[0]] == .modifier,
                    let (later, end) = self.name(at + 1), end > next, later.words.count > 1
                {
                    atoms.append(.modifier(tokens[at].text))
                    atoms.append(.food(later))
                    at = end
                    continue
                }
                atoms.append(.food(name))
                at = next
                // "omelette of 3 eggs"
                if at < tokens.count - 1, tokens[at].lemma == "of",
                    let (_, next) = AmountReader(tokens: tokens, reader: self).figure(at + 1),
                    next < tokens.count, self.name(next) != nil
                {
                    atoms.append(.link(.made))
                }
            } else if let (figure, next) = AmountReader(tokens: tokens, reader: self).figure(at) {
                if let figure { atoms.append(figure) }
                if case .amount(let amount) = figure {
                    atoms += amount.adjectives.map(Atom.modifier)
                }
                at = next
            } else {
                small(at)
                at += 1
            }
        }
    }

    /// The longest food name that begins here, and the place of the token after it. A name with
    /// "and" may contain commas: "bacon, lettuce and tomato sandwich".
    func name(_ at: Int) -> (name: Atom.Name, next: Int)? {
        let listed = tokens.indices[at...].prefix(FoodIndex.nameWordsMax).prefix {
            tokens[$0].kind == .word || tokens[$0].kind == .comma && $0 > at
        }
        let places = listed.filter { tokens[$0].kind == .word }
        let unbroken = Array(listed.prefix { tokens[$0].kind == .word })
        for places in places == unbroken ? [places] : [places, unbroken] {
            let lemmas = places.map { tokens[$0].lemma }
            guard let (food, count) = lookup.longest(lemmas) else { continue }
            let last = places[count - 1]
            guard last == at + count - 1 || lemmas[..<count].contains("and") else { continue }
            let name = Atom.Name(
                food: food, words: Array(lemmas[..<count]),
                isPlural: Lemma.isPlural(tokens[last].text),
                isMended: places[..<count].contains(where: mended.contains))
            return (name, last + 1)
        }
        return nil
    }

    /// The longest phrase of `words.tsv` that begins here.
    private func phrase(_ at: Int) -> (role: Lexicon.Role, count: Int)? {
        let words = tokens[at...].prefix(Lexicon.phraseWordsMax).prefix { $0.kind == .word }
        return Lexicon.phrase(words.map(\.lemma))
    }

    /// Skips a time of day: "at ten", "around 3". Returns the place of the token after it.
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

    /// The cue that "no" or "not" is if it does not negate the food after it: "wait, no, …", "did
    /// not have". Otherwise nil.
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
