import TextTables

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
