import Inspections
import Media

/// Chooses the sentence that says most, by people, places, feelings and achievements.
enum KeyMoment {
    private static let charactersMax = 240

    /// Words that mean that something was achieved. A day's accomplishments are found by them too.
    static let achievements = AnalysisWords.current.moods.achievements

    /// The best sentence, shortened; nil when nothing was said. Of sentences with equal scores the
    /// first wins. A sentence that names nobody and no place, such as "So happy!" or "She got the
    /// job!", comes with the one that says whom and what it is about.
    static func sentence(_ text: SpokenText, people: [NameFinder.Person], place: String?) -> String?
    {
        var best: (number: Int, score: Double)?
        var anchors: [Int] = []
        for (number, sentence) in text.sentences.enumerated() {
            let words = text.words(ofSentence: number)
            guard !words.isEmpty else { continue }
            if people.contains(where: { words.indices.contains($0.place) }) {
                anchors.append(number)
            }
            var score = MoodReader.strength(words)
            score += Double(people.filter { words.indices.contains($0.place) }.count) * 1.5
            if let place, sentence.contains(place) { score += 1 }
            score += words.contains { achievements.contains($0.key) } ? 2 : 0
            score += words.count < 4 ? -1.5 : 0
            score += number == 0 ? 0.25 : 0
            if score > best?.score ?? -.infinity { best = (number, score) }
        }
        guard let best else { return nil }
        let chosen = text.sentences[best.number]
        let isWhole = anchors.contains(best.number) || place.map(chosen.contains) == true
        if !isWhole,
            let anchor = anchors.last(where: { $0 < best.number }) ?? anchors.first
        {
            let both = [anchor, best.number].sorted()
                .map { Sentence.ended(String(text.sentences[$0])) }
                .joined(separator: " ")
            if both.count <= charactersMax { return shortened(both) }
        }
        return shortened(String(chosen))
    }

    /// A sentence of at most 240 characters. A longer one is cut at the end of a word, with an
    /// ellipsis.
    static func shortened(_ sentence: String) -> String {
        let line = sentence.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard line.count > charactersMax else { return line }
        let head = line.prefix(charactersMax - 1)
        let end = head.lastIndex(of: " ") ?? head.endIndex
        return head[..<end] + "…"
    }

    /// Whether a sentence says that something was achieved.
    static func isAchievement(_ sentence: String) -> Bool {
        SpokenText(sentence).words.contains { achievements.contains($0.key) }
    }
}
