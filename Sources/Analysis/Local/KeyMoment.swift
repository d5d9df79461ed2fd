/// Picks the one sentence that says most: people, places, feelings, achievements.
enum KeyMoment {
    private static let charactersMax = 240

    /// Words of getting something done; also what a day's accomplishments are known by.
    static let achievements = GivenNames.words(
        """
        finished completed won passed shipped launched submitted solved fixed graduated achieved
        learned built signed accepted promoted finally published accomplished nailed closed delivered
        landed aced scored hired managed beat deployed
        """)

    /// Nil when nothing was said. The first sentence among equals; long ones are cut.
    static func sentence(_ text: SpokenText, people: [NameFinder.Person], place: String?) -> String?
    {
        var best: (text: String, score: Double)?
        for (number, sentence) in text.sentences.enumerated() {
            let words = text.words(ofSentence: number)
            guard !words.isEmpty else { continue }
            var score = MoodReader.strength(words)
            score += Double(people.filter { words.indices.contains($0.place) }.count) * 1.5
            if let place, sentence.contains(place) { score += 1 }
            score += words.contains { achievements.contains($0.key) } ? 2 : 0
            score += words.count < 4 ? -1.5 : 0
            score += number == 0 ? 0.25 : 0
            if score > best?.score ?? -.infinity { best = (sentence, score) }
        }
        return best.map { shortened($0.text) }
    }

    /// Cut at a word's end, with an ellipsis.
    static func shortened(_ sentence: String) -> String {
        let line = sentence.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard line.count > charactersMax else { return line }
        let head = line.prefix(charactersMax - 1)
        let end = head.lastIndex(of: " ") ?? head.endIndex
        return head[..<end] + "…"
    }

    /// Something was got done in it.
    static func isAchievement(_ sentence: String) -> Bool {
        SpokenText(sentence).words.contains { achievements.contains($0.key) }
    }
}
