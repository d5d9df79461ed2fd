/// The indexes that one sentence is parsed with. The user's own foods win over everybody's.
struct FoodLookup {
    let own: FoodIndex?
    let everybody: FoodIndex

    func knows(_ lemma: String) -> Bool {
        own?.words[lemma] != nil || everybody.words[lemma] != nil
    }

    func isUnit(_ lemma: String) -> Bool {
        own?.units.contains(lemma) == true || everybody.units.contains(lemma)
    }

    /// The longest name; if both indexes have one of the same length, the user's.
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
