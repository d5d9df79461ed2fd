import TextTables

/// Finds where something happened: "the coffee shop", "MIT campus", "Boston".
///
/// It weighs every phrase after a preposition or a verb of motion by the phrase's last noun, its
/// capital letters and the preposition. The phrase with the greatest weight wins; of equal phrases,
/// the first.
struct PlaceFinder {
    private struct Candidate {
        var range: Range<Int>
        var weight: Int
        var text: String
    }

    private static let wordsMax = 7
    /// Words between a place and the larger place that contains it.
    private static let joints: Set<String> = ["in", "on", "at", "near", "of"]

    private let words: [SpokenWord]
    private let people: Set<String>

    /// - Parameter people: their names are not places.
    init(_ text: SpokenText, people: [NameFinder.Person]) {
        words = text.words
        self.people = Set(
            people.flatMap { $0.name.lowercased().split(separator: " ").map(String.init) })
    }

    /// The place; nil when no phrase is one.
    func place() -> String? {
        var candidates: [Candidate] = []
        for index in words.indices {
            if let weight = PlaceWords.leads[words[index].key],
                let candidate = phrase(after: index, weight)
            {
                // "thinking about work in the park": a town is planned, a park is where one thinks.
                let isNamed = words[candidate.range.upperBound - 1].isCapitalised
                let isAway = PlaceWords.toward.contains(words[index].key)
                if isNamed || isAway, isPlanned(index) { continue }
                candidates.append(candidate)
            } else if words[index].key == "home", index > 0, !words[index].startsSentence,
                PlaceWords.homeward.contains(words[index - 1].key)
            {
                candidates.append(Candidate(range: index..<index + 1, weight: 3, text: "home"))
            }
        }
        guard var best = candidates.first else { return nil }
        for candidate in candidates.dropFirst() where candidate.weight > best.weight {
            best = candidate
        }
        // "the coffee shop in Boston" is one place, whichever part has the greater weight.
        let lead = best.range.lowerBound - 1
        if Self.joints.contains(words[lead].key), words[lead].gap == .space,
            words[best.range.upperBound - 1].isCapitalised,
            let outer = candidates.first(where: { $0.range.upperBound == lead })
        {
            return outer.text + " " + words[lead].text + " " + best.text
        }
        let end = best.range.upperBound
        if end < words.count, Self.joints.contains(words[end].key),
            words[end].gap == .space,
            let inner = candidates.first(where: { $0.range.lowerBound == end + 1 }),
            words[end + 1].gap == .space, words[inner.range.upperBound - 1].isCapitalised
        {
            return best.text + " " + words[end].text + " " + inner.text
        }
        return best.text
    }

    /// Whether the sentence speaks of what may happen or did not happen.
    private func isPlanned(_ lead: Int) -> Bool {
        let sentence = words.indices.filter { words[$0].sentence == words[lead].sentence }
        func has(_ list: Set<String>, _ index: Int) -> Bool {
            guard !words[index].isCapitalised || words[index].startsSentence else { return false }
            return list.contains(words[index].key)
                || index + 1 < words.count
                    && list.contains(words[index].key + " " + words[index + 1].key)
        }
        if PlaceWords.toward.contains(words[lead].key),
            sentence.contains(where: { has(PlaceWords.futures, $0) })
        {
            return true
        }
        let before = sentence.prefix { $0 < lead }
        guard let plan = before.last(where: { has(PlaceWords.plans, $0) }) else { return false }
        return !before.contains { $0 > plan && has(PlaceWords.facts, $0) }
    }

    private func phrase(after lead: Int, _ weight: Int) -> Candidate? {
        let start = lead + 1
        guard start < words.count, words[start].gap == .space,
            words[start].sentence == words[lead].sentence
        else { return nil }
        let isArticle = PlaceWords.articles.contains(words[start].key)
        let body = isArticle ? start + 1 : start
        let end = phraseEnd(body)
        guard body < end, let last = (body..<end).last(where: { isPlace($0, body: body) }) else {
            return nil
        }
        // "the kitchen table" is not a kitchen.
        if last + 1 < end, !words[last].isCapitalised, isThing(words[last + 1]) { return nil }
        if words[lead].key == "from", ["his", "her", "their"].contains(words[start].key) {
            return nil
        }
        guard let kind = kind(last, lead: words[lead].key, isArticle: isArticle, body: body) else {
            return nil
        }
        let keepsArticle = isArticle && !["a", "an", "some"].contains(words[start].key)
        let text = words[(keepsArticle ? start : body)...last].map(\.spoken)
            .joined(separator: " ")
        return Candidate(range: start..<last + 1, weight: weight + kind, text: text)
    }

    private func phraseEnd(_ body: Int) -> Int {
        var end = body
        while end < words.count, end - body < Self.wordsMax,
            end == body || words[end].gap == .space,
            words[end].sentence == words[body].sentence
        {
            let key = words[end].key
            if key == "of", end > body, end + 1 < words.count,
                words[end + 1].isCapitalised || words[end + 1].key == "the"
            {
                end += words[end + 1].key == "the" ? 2 : 1
                continue
            }
            if PlaceWords.ends.contains(key), !words[end].isAcronym { break }
            end += 1
        }
        return min(end, words.count)
    }

    private func isPlace(_ index: Int, body: Int) -> Bool {
        let word = words[index]
        if PlaceWords.nouns.contains(word.key), !word.isPossessive { return true }
        if word.stems.contains(where: PlaceWords.nouns.contains), !word.isPossessive {
            return index > body || !word.isCapitalised
        }
        if index == body, PlaceWords.bare.contains(word.key) { return true }
        return isProper(index)
    }

    /// Whether a word is a plain noun, judging by its ending.
    private func isThing(_ word: SpokenWord) -> Bool {
        !word.isCapitalised && word.key != "of"
            && !["ing", "ed", "ly"].contains(where: word.key.hasSuffix)
    }

    /// Whether a capitalised word is neither a person nor a day, month or brand.
    private func isProper(_ index: Int) -> Bool {
        let word = words[index]
        guard word.isCapitalised, !people.contains(word.key), !word.isPossessive,
            Kinship.family[word.key] == nil, word.text != "I", !word.key.hasPrefix("i'")
        else { return false }
        if PlaceWords.branded.contains(word.key) { return true }
        return !NotNames.things.contains(word.key) && !NotNames.starters.contains(word.key)
    }

    /// The weight of the phrase's last word; nil when the preposition does not fit it.
    private func kind(_ last: Int, lead: String, isArticle: Bool, body: Int) -> Int? {
        let word = words[last]
        let isNoun = word.stems.contains(where: PlaceWords.nouns.contains)
        let hasProper = (body...last).contains { isProper($0) }
        if isNoun && hasProper {
            return lead == "of" ? 2 : 4
        }
        if isNoun && (isArticle || last > body || PlaceWords.bare.contains(word.key)) {
            if lead == "of" || lead == "this" { return nil }
            let isWeak = PlaceWords.weak.contains(word.key) && last - body < 2
            return isWeak ? 0 : 3
        }
        if PlaceWords.bare.contains(word.key), last == body {
            return ["at", "to", "from", "in", "left", "leaving"].contains(lead) ? 1 : nil
        }
        guard hasProper, isProper(last) else { return nil }
        let isKnown = NotNames.places.contains(word.key) || PlaceWords.branded.contains(word.key)
        if ["from", "to", "by", "on", "of", "this", "behind", "past", "left", "over"].contains(lead)
        {
            return isKnown && lead != "by" && lead != "this" ? 2 : nil
        }
        return isKnown ? 3 : 2
    }
}
