import TextTables

/// Tells the mood of a text from its words, with denial, degree and "but".
///
/// A denial reaches three words far and not over a comma; what follows "but" counts half as much
/// again, for that is what the speaker ends with.
struct MoodReader {
    /// What `neutral` stands for: no word that tells.
    static let neutral = "neutral"

    private static let reach = 3
    /// How far back "but" is looked for.
    private static let clauseMax = 30

    /// The mood, and the sum of all weights: how strongly the text feels at all.
    static func read(_ text: SpokenText) -> (mood: String, strength: Double) {
        var scores: [MoodLexicon.Mood: Double] = [:]
        var strength = 0.0
        for index in text.words.indices {
            guard let (mood, weight) = feeling(text.words, index) else { continue }
            scores[mood, default: 0] += weight
            strength += weight
        }
        // "I got in!": an exclamation alone is of joy.
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

    /// How strongly one sentence's words feel.
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

    /// "Great, another parking ticket."
    private static func isMockery(_ words: [SpokenWord], _ index: Int) -> Bool {
        guard words[index].startsSentence, index + 1 < words.count,
            words[index + 1].gap == .comma, MoodLexicon.words[words[index].key]?.mood == .happy
        else { return false }
        return ["another", "now", "more", "yet", "just", "again"].contains(words[index + 1].key)
    }

    /// "a good friend", "Thank God", "my best friend", "good morning": no feeling.
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

/// Words that tell how somebody feels, and those that change what they tell.
enum MoodLexicon {
    /// Moods that an analysis may have, from the brightest to the darkest; what is first wins
    /// among equals.
    enum Mood: String, CaseIterable {
        case excited, happy, grateful, loving, proud, amused, hopeful, inspired, curious, relaxed
        case focused, surprised, nostalgic, bored, tired, confused, lonely, disappointed, anxious
        case stressed, frustrated, sad, angry, unwell

        /// What is left when it is denied.
        var opposite: Mood? {
            switch self {
            case .excited: .bored
            case .happy, .amused, .loving, .hopeful, .inspired: .sad
            case .proud, .grateful: .disappointed
            case .relaxed: .stressed
            case .sad, .lonely, .disappointed, .angry, .frustrated: nil
            case .anxious, .stressed: .relaxed
            default: nil
            }
        }
    }

    private static let table = AnalysisWords.current.moods

    /// The mood and how much of it.
    static let words = table.moods
    static let denials = table.denials
    /// What a word beside it makes of a feeling.
    static let degrees = table.degrees
}

/// The rows of `moods.tsv`; the later row of a word wins.
struct MoodWords: Sendable {
    private(set) var moods: [String: (mood: MoodLexicon.Mood, weight: Double)] = [:]
    private(set) var denials: Set<String> = []
    private(set) var degrees: [String: Double] = [:]
    private(set) var achievements: Set<String> = []

    static let table = BuiltInTable(
        TableForm("moods", version: 1, columns: ["list", "weight", "words"]),
        Embedded.moods_tsv)
    private static let weights = 0.0...10

    init(_ rows: [TableRow]) throws(TableFault) {
        for row in rows {
            let words = row.words("words")
            switch row.text("list") {
            case "denial": denials.formUnion(words)
            case "achievement": achievements.formUnion(words)
            case "degree":
                let weight = try row.neededNumber("weight", in: Self.weights)
                for word in words { degrees[word] = weight }
            case let name:
                guard let mood = MoodLexicon.Mood(rawValue: name) else {
                    let lists = ["denial", "degree", "achievement"]
                    throw row.fault(
                        "list", .notOneOf(MoodLexicon.Mood.allCases.map(\.rawValue) + lists))
                }
                let weight = try row.neededNumber("weight", in: Self.weights)
                for word in words { moods[word] = (mood, weight) }
            }
        }
    }
}
