import TextTables

/// Topics from `themes.tsv` and the words that indicate them, in lower case and in their plain
/// form.
struct ThemeLexicon: Sendable {
    /// The topics' names. Of equally frequent topics the first wins.
    private(set) var topics: [String] = []
    /// From a word, or two words with a space between, to the indexes of its topics.
    private(set) var index: [String: [Int]] = [:]

    static let table = BuiltInTable(
        TableForm("themes", version: 1, columns: ["topic", "words"]), Embedded.themes_tsv)

    init(_ rows: [TableRow]) throws(TableFault) {
        for row in rows {
            let topic = try row.neededText("topic")
            let place = topics.firstIndex(of: topic) ?? topics.count
            if place == topics.count { topics.append(topic) }
            for word in row.words("words") where index[word]?.contains(place) != true {
                index[word, default: []].append(place)
            }
        }
    }
}
