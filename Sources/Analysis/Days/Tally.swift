/// Puts words of several captures together: each once, the most frequent first.
enum Tally {
    /// The first of each that has the same key.
    static func once(_ texts: [String], key: (String) -> String) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert(key($0)).inserted }
    }

    /// By how often they are there; among equals the first one comes first.
    static func frequent(_ texts: [String], max: Int) -> [String] {
        var counts: [String: Int] = [:]
        for text in texts { counts[text, default: 0] += 1 }
        let order = once(texts, key: { $0 })
        let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        return Array(
            order.sorted { left, right in
                let (more, less) = (counts[left] ?? 0, counts[right] ?? 0)
                return more == less
                    ? places[left] ?? 0 < places[right] ?? 0 : more > less
            }.prefix(max))
    }

    /// The mood that is there most often, neutral ones aside; among equals the latest.
    static func mood(_ captures: [AnalysedCapture]) -> String {
        let moods = captures.map(\.analysis.mood).filter { $0 != MoodReader.neutral }
        return frequent(moods.reversed(), max: 1).first ?? MoodReader.neutral
    }

    /// "the coffee shop" and "Coffee shop" are one place.
    static func places(_ captures: [AnalysedCapture], max: Int) -> [String] {
        let places = captures.compactMap(\.analysis.location)
        return Array(
            once(places) { place in
                let key = Mention.key(of: place)
                return key.hasPrefix("the ") ? String(key.dropFirst(4)) : key
            }.prefix(max))
    }

    /// Everybody, in the order of appearance.
    static func people(_ captures: [AnalysedCapture], max: Int) -> [String] {
        Array(once(captures.flatMap(\.people), key: Mention.key).prefix(max))
    }

    /// "a", "a and b", "a, b and c".
    static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }

    /// "1 capture", "3 captures".
    static func captures(_ count: Int) -> String { count == 1 ? "1 capture" : "\(count) captures" }
}
