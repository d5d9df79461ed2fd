import TextTables

/// The rows of `places.tsv`.
struct PlaceLists: Sendable {
    enum List: String, CaseIterable {
        case lead, noun, weak, bare, branded, homeward, end, article, plan, future, toward, fact
    }

    private let lists: WordLists<List>
    private(set) var leads: [String: Int] = [:]

    static let table = BuiltInTable(
        TableForm("places", version: 1, columns: ["list", "weight", "words"]),
        Embedded.places_tsv)

    init(_ rows: [TableRow]) throws(TableFault) {
        lists = try WordLists(rows)
        for row in rows where row.text("list") == List.lead.rawValue {
            let weight = Int(try row.neededNumber("weight", in: 0...10))
            for word in row.words("words") { leads[word] = weight }
        }
    }

    subscript(list: List) -> Set<String> { lists[list] }
}
