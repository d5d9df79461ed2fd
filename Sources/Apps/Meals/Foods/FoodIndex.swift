/// Foods by the words they are called by, in memory and immutable: one for everybody's foods, shared
/// by all, and a small one for each user who has foods of their own.
///
/// Names stand in a tree of words (the longest name that begins at a word is found in one step a
/// word), in a dictionary of their words sorted ("chicken grilled"), and as trigrams.
/// Where two foods have one name, the first in the list has it.
public struct FoodIndex: Sendable {
    /// As given; at most `foodsMax`, the rest is left out.
    public let foods: [Food]

    /// What an index takes: some 40 MB of names.
    public static let foodsMax = 50_000
    /// Words of a name that are looked at.
    static let nameWordsMax = 8

    private var edges: [UInt64: Int32] = [:]
    private var ends: [Int32: Int32] = [:]
    private var bags: [String: Int32] = [:]
    /// Lemmas, numbered.
    private(set) var words: [String: Int32] = [:]
    /// The lemmas again by their lengths, each with its letters' mask.
    private var spellings: [[(word: String, mask: UInt32)]] = []
    private var terms: [(text: String, food: Int32, trigrams: Int)] = []
    private var postings: [UInt32: [Int32]] = [:]
    /// Lemmas of all units that some food has.
    private(set) var units: Set<String> = []

    /// Linear in the names; 0.1 s for 10 000 foods.
    ///
    /// - Parameter more: Foods that have only the names that none of the first has.
    public init(_ foods: [Food], then more: [Food] = []) {
        self.foods = Array((foods + more).prefix(Self.foodsMax))
        let first = min(foods.count, self.foods.count)
        for part in [0..<first, first..<self.foods.count] {
            // Names before synonyms: no food loses its own name to another one's synonym.
            for number in part { add(self.foods[number].name, Int32(number)) }
            for number in part {
                for synonym in self.foods[number].synonyms { add(synonym, Int32(number)) }
                for unit in self.foods[number].units { units.insert(Lemma.of(unit.name)) }
            }
        }
        spellings = Array(repeating: [], count: (words.keys.map(\.utf8.count).max() ?? 0) + 1)
        for word in words.keys.sorted() {
            spellings[word.utf8.count].append((word, EditDistance.mask(word.utf8)))
        }
    }

    private mutating func add(_ name: String, _ food: Int32) {
        let lemmas = Self.lemmas(of: name)
        guard !lemmas.isEmpty else { return }
        var node: Int32 = 0
        for lemma in lemmas {
            let word = words[lemma] ?? Int32(words.count + 1)
            words[lemma] = word
            let edge = UInt64(UInt32(bitPattern: node)) << 32 | UInt64(UInt32(bitPattern: word))
            let next = edges[edge] ?? Int32(edges.count + 1)
            edges[edge] = next
            node = next
        }
        if ends[node] == nil { ends[node] = food }
        let key = Self.bagKey(lemmas)
        if lemmas.count > 1, bags[key] == nil { bags[key] = food }
        let text = lemmas.joined(separator: " ")
        let trigrams = Trigrams(text)
        for code in trigrams.codes { postings[code, default: []].append(Int32(terms.count)) }
        terms.append((text, food, trigrams.codes.count))
    }

    /// A name cut as a sentence would be, small words that are part of it included.
    static func lemmas(of name: String) -> [String] {
        let tokens = Tokenizer.tokens(of: name, isName: { _ in true })
        return tokens.prefix(nameWordsMax).compactMap { $0.lemma.isEmpty ? nil : $0.lemma }
    }

    static func bagKey(_ lemmas: [String]) -> String {
        lemmas.count == 1 ? lemmas[0] : lemmas.sorted().joined(separator: " ")
    }

    /// The longest name that the lemmas begin with, and of how many of them it is.
    func longest(_ lemmas: some Sequence<String>) -> (food: Food, count: Int)? {
        var node: Int32 = 0
        var count = 0
        var found: (Int32, Int)?
        for lemma in lemmas {
            guard let word = words[lemma],
                let next = edges[
                    UInt64(UInt32(bitPattern: node)) << 32 | UInt64(UInt32(bitPattern: word))]
            else { break }
            node = next
            count += 1
            if let food = ends[node] { found = (food, count) }
        }
        return found.map { (foods[Int($0.0)], $0.1) }
    }

    /// The food that is called by exactly these words, in any order.
    func bag(_ key: String) -> Food? {
        bags[key].map { foods[Int($0)] }
    }

    /// Lemmas of foods' names that may be within two edits of a word, in alphabetical order by length.
    func spellings(near word: [UInt8]) -> [String] {
        let mask = EditDistance.mask(word)
        let shortest = max(0, word.count - 2)
        let longest = min(spellings.count - 1, word.count + 2)
        guard shortest <= longest else { return [] }
        return spellings[shortest...longest].flatMap { list in
            list.lazy.filter { ($0.mask ^ mask).nonzeroBitCount <= 4 }.map(\.word)
        }
    }

    /// The food with the name most like a text, and how like, 0–1. Of equals the first.
    func similar(to text: String, atLeast threshold: Double) -> (food: Food, similarity: Double)? {
        let query = Trigrams(text).codes
        guard !query.isEmpty else { return nil }
        var shared: [Int32: Int] = [:]
        for code in query {
            for term in postings[code] ?? [] { shared[term, default: 0] += 1 }
        }
        var best: (term: Int32, similarity: Double)?
        for (term, count) in shared {
            let all = query.count + terms[Int(term)].trigrams - count
            let similarity = Double(count) / Double(all)
            guard similarity >= threshold else { continue }
            if let known = best,
                (known.similarity, -known.term) > (similarity, -term)
            {
                continue
            }
            best = (term, similarity)
        }
        return best.map { (foods[Int(terms[Int($0.term)].food)], $0.similarity) }
    }
}

/// How alike two texts are, as PostgreSQL's `pg_trgm` sees it: each word padded by two spaces before
/// and one after, cut into threes; shared trigrams over all of them.
///
/// - Source: PostgreSQL manual, "pg_trgm".
struct Trigrams: Sendable {
    /// Sorted, each once.
    let codes: [UInt32]

    init(_ text: String) {
        var codes: Set<UInt32> = []
        var last = UInt32(0x2020)
        for byte in text.utf8 {
            let isPart =
                byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
                || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
            if isPart {
                last = (last << 8 | UInt32(byte)) & 0xFF_FFFF
                codes.insert(last)
            } else {
                Self.close(&last, &codes)
            }
        }
        Self.close(&last, &codes)
        self.codes = codes.sorted()
    }

    private static func close(_ last: inout UInt32, _ codes: inout Set<UInt32>) {
        if last & 0xFF != 0x20 { codes.insert((last << 8 | 0x20) & 0xFF_FFFF) }
        last = 0x2020
    }
}

/// A user's own foods before everybody's: what one sentence is read with.
struct FoodLookup {
    let own: FoodIndex?
    let everybody: FoodIndex

    func knows(_ lemma: String) -> Bool {
        own?.words[lemma] != nil || everybody.words[lemma] != nil
    }

    func isUnit(_ lemma: String) -> Bool {
        own?.units.contains(lemma) == true || everybody.units.contains(lemma)
    }

    /// The longest name; of two of a length the user's.
    func longest(_ lemmas: some Sequence<String>) -> (food: Food, count: Int)? {
        let everybodys = everybody.longest(lemmas)
        guard let own = own?.longest(lemmas) else { return everybodys }
        return own.count >= (everybodys?.count ?? 0) ? own : everybodys
    }

    func bag(_ lemmas: [String]) -> Food? {
        let key = FoodIndex.bagKey(lemmas)
        return own?.bag(key) ?? everybody.bag(key)
    }

    func spellings(near word: [UInt8]) -> [String] {
        (own?.spellings(near: word) ?? []) + everybody.spellings(near: word)
    }

    func similar(to text: String, atLeast threshold: Double) -> (food: Food, similarity: Double)? {
        own?.similar(to: text, atLeast: threshold)
            ?? everybody.similar(to: text, atLeast: threshold)
    }
}
