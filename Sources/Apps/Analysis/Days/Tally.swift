import Captures
import Readings

/// Combines words of several captures.
enum Tally {
    /// The texts without those whose key equals an earlier one's.
    static func once(_ texts: [String], key: (String) -> String) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert(key($0)).inserted }
    }

    /// The most frequent texts, the most frequent first. Equally frequent texts keep their order.
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

    /// The most frequent mood, without neutral ones. Of equally frequent moods, the latest wins.
    static func mood(_ captures: [AnalysedCapture]) -> String {
        let moods = captures.map(\.analysis.mood).filter { $0 != MoodReader.neutral }
        return frequent(moods.reversed(), max: 1).first ?? MoodReader.neutral
    }

    /// The places in order of appearance. "the coffee shop" and "Coffee shop" are one place.
    static func places(_ captures: [AnalysedCapture], max: Int) -> [String] {
        let places = captures.compactMap(\.analysis.location)
        return Array(
            once(places) { place in
                let key = FoldedName.key(of: place)
                return key.hasPrefix("the ") ? String(key.dropFirst(4)) : key
            }.prefix(max))
    }

    /// All people, in order of appearance.
    static func people(_ captures: [AnalysedCapture], max: Int) -> [String] {
        Array(once(captures.flatMap(\.people), key: FoldedName.key).prefix(max))
    }

    /// "a", "a and b", "a, b and c".
    static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }

    /// "1 capture", "3 captures".
    static func captures(_ count: Int) -> String { count == 1 ? "1 capture" : "\(count) captures" }
}
