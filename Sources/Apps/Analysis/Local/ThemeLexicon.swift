import TextTables

/// Topics and the words that point at them, lower case, in their plain form, from `themes.tsv`.
struct ThemeLexicon: Sendable {
    /// Names of topics; what is first wins among equals.
    private(set) var topics: [String] = []
    /// From a word, or two with a space between, to the places of its topics.
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
