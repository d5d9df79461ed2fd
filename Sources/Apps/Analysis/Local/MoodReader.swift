import TextTables

/// Finds the mood of a text from its words, with denials, degrees and "but".
///
/// A denial applies to the next three words, but not across a comma or another break. Words after
/// "but" count half as much again, because they are what the speaker ends with.
struct MoodReader {
    /// The mood of a text without words of feeling.
    static let neutral = "neutral"

    private static let reach = 3
    /// How many words before a word are searched for "but".
    private static let clauseMax = 30

    /// The mood, and the sum of all weights, which says how strongly the text feels.
    static func read(_ text: SpokenText) -> (mood: String, strength: Double) {
        var scores: [MoodLexicon.Mood: Double] = [:]
        var strength = 0.0
        for index in text.words.indices {
            guard let (mood, weight) = feeling(text.words, index) else { continue }
            scores[mood, default: 0] += weight
            strength += weight
        }
        // "I got in!": an exclamation without other evidence means joy.
        if scores.isEmpty, text.sentences.contains(where: { $0.hasSuffix("!") }) {
            scores[.excited] = 0.5
        }
        var best: (mood: MoodLexicon.Mood, score: Double)?
        for mood in MoodLexicon.Mood.allCases {
            guard let score = scores[mood], score > best?.score ?? 0 else { continue }
            best = (mood, score)
        }
        return (best?.mood.rawValue ?? neutral, strength)
    }

    /// The sum of the weights of one sentence's words.
    static func strength(_ words: ArraySlice<SpokenWord>) -> Double {
        let words = Array(words)
        return words.indices.reduce(0) { $0 + (feeling(words, $1)?.weight ?? 0) }
    }

    private static func feeling(
        _ words: [SpokenWord], _ index: Int
    ) -> (mood: MoodLexicon.Mood, weight: Double)? {
        let word = words[index]
        let next = index + 1 < words.count ? words[index + 1].key : ""
        let both = MoodLexicon.words[word.key + " " + next]
        guard let entry = both ?? MoodLexicon.words[word.key],
            both != nil || !isNeutralUse(words, index)
        else { return nil }
        if isMockery(words, index) { return (.frustrated, entry.weight) }
        var weight = entry.weight
        var isDenied = false
        var place = index
        while place > 0, index - place < reach, words[place].gap != .comma,
            words[place].gap != .other, words[place - 1].sentence == word.sentence
        {
            place -= 1
            let key = words[place].key
            if let factor = MoodLexicon.degrees[key] {
                weight *= factor
            }
            // "can't stop smiling", "can't wait"
            let isUnstoppable =
                place + 1 < words.count && key.hasSuffix("n't")
                && ["stop", "help", "wait"].contains(words[place + 1].key)
            if !isUnstoppable, MoodLexicon.denials.contains(key) || key.hasSuffix("n't") {
                isDenied.toggle()
            }
            if key == "but" { break }
        }
        let clause = words[max(0, index - clauseMax)..<index].filter {
            $0.sentence == word.sentence
        }
        if clause.contains(where: { ["but", "however", "though"].contains($0.key) }) {
            weight *= 1.5
        }
        guard isDenied else { return (entry.mood, weight) }
        guard let opposite = entry.mood.opposite else { return nil }
        return (opposite, weight * 0.7)
    }

    /// Irony: "Great, another parking ticket."
    private static func isMockery(_ words: [SpokenWord], _ index: Int) -> Bool {
        guard words[index].startsSentence, index + 1 < words.count,
            words[index + 1].gap == .comma, MoodLexicon.words[words[index].key]?.mood == .happy
        else { return false }
        return ["another", "now", "more", "yet", "just", "again"].contains(words[index + 1].key)
    }

    /// Uses without feeling: "a good friend", "my best friend", "good morning".
    private static func isNeutralUse(_ words: [SpokenWord], _ index: Int) -> Bool {
        let next = index + 1 < words.count ? words[index + 1].key : ""
        let before = index > 0 ? words[index - 1].key : ""
        switch words[index].key {
        case "good", "great", "best":
            if ["friend", "friends"].contains(next) { return true }
            return ["morning", "afternoon", "evening", "night"].contains(next)
                && (words[index].startsSentence || ["said", "a"].contains(before) == false)
                && words[index].key == "good" && !["had", "have"].contains(before)
        case "cold": return !["a", "have", "caught", "bad"].contains(before)
        case "down": return !["feel", "feeling", "felt", "so"].contains(before)
        case "behind": return !["falling", "fell", "running"].contains(before)
        case "lost":
            return !["feel", "feeling", "felt", "so", "am", "i'm", "completely", "totally", "got"]
                .contains(before)
        case "broken": return before == "the" || before == "a"
        case "kind": return next == "of" || ["a", "some", "what", "this", "any"].contains(before)
        case "still": return next != "" && words[index + 1].gap == .space
        case "better": return !["feel", "feeling", "felt", "much", "so"].contains(before)
        case "mad": return before == "like"
        case "miss": return words[index].isCapitalised && !words[index].startsSentence
        case "hope": return words[index].isCapitalised && !words[index].startsSentence
        case "joy", "love": return words[index].isCapitalised && !words[index].startsSentence
        case "tears", "cried", "crying", "cry": return before == "happy" || next == "happy"
        case "sweet": return next == "potato" || next == "potatoes"
        default: return false
        }
    }
}
