/// An immutable index of foods by their names, in memory. One index of everybody's foods is shared
/// by all; each user with own foods has a small one.
///
/// Names are kept in a tree of words, which finds the longest name that begins at a word in one
/// step a word; in a dictionary by their sorted words ("chicken grilled"); and as trigrams. If two
/// foods have the same name, the first in the list keeps it.
public struct FoodIndex: Sendable {
    /// The foods as given, at most `foodsMax`; the rest is left out.
    public let foods: [Food]

    /// The number of foods in an index; their names take about 40 MB.
    public static let foodsMax = 50_000
    /// Words of a name that are indexed.
    static let nameWordsMax = 8

    private var edges: [UInt64: Int32] = [:]
    private var ends: [Int32: Int32] = [:]
    private var bags: [String: Int32] = [:]
    /// The numbers of the lemmas.
    private(set) var words: [String: Int32] = [:]
    /// The lemmas by their lengths, each with its set of letters.
    private var spellings: [[(word: String, mask: UInt32)]] = []
    private var terms: [(text: String, food: Int32, trigrams: Int)] = []
    private var postings: [UInt32: [Int32]] = [:]
    /// The lemmas of the units of all foods.
    private(set) var units: Set<String> = []

    /// Builds the index. Linear in the names; 0.1 s for 10 000 foods.
    ///
    /// - Parameter more: Further foods. They keep only the names that no food of the first list
    ///   has.
    public init(_ foods: [Food], then more: [Food] = []) {
        self.foods = Array((foods + more).prefix(Self.foodsMax))
        let first = min(foods.count, self.foods.count)
        for part in [0..<first, first..<self.foods.count] {
            // Names come before synonyms, so that no food loses its name to another food's synonym.
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

    /// The lemmas of a name. It is cut as a sentence is, but every word stays, also "and".
    static func lemmas(of name: String) -> [String] {
        let tokens = Tokenizer.tokens(of: name, isName: { _ in true })
        return tokens.prefix(nameWordsMax).compactMap { $0.lemma.isEmpty ? nil : $0.lemma }
    }

    static func bagKey(_ lemmas: [String]) -> String {
        lemmas.count == 1 ? lemmas[0] : lemmas.sorted().joined(separator: " ")
    }

    /// The longest name with which the lemmas begin, and the number of its lemmas.
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

    /// The food whose name has exactly these words, in any order; see ``bagKey(_:)``.
    func bag(_ key: String) -> Food? {
        bags[key].map { foods[Int($0)] }
    }

    /// Lemmas of foods' names that may be within two edits of a word: the shortest first, and in
    /// alphabetical order within a length.
    func spellings(near word: [UInt8]) -> [String] {
        let mask = EditDistance.mask(word)
        let shortest = max(0, word.count - 2)
        let longest = min(spellings.count - 1, word.count + 2)
        guard shortest <= longest else { return [] }
        return spellings[shortest...longest].flatMap { list in
            list.lazy.filter { ($0.mask ^ mask).nonzeroBitCount <= 4 }.map(\.word)
        }
    }

    /// The food with the name that is most similar to a text, and the similarity, 0–1. Among equals
    /// the first wins.
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
