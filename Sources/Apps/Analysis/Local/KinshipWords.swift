import TextTables

/// The rows of `kinship.tsv`; the later row of a word wins.
struct KinshipWords: Sendable {
    enum List: String, CaseIterable {
        case person, also, family, relative, title
    }

    /// By list: the person that each word stands for.
    private(set) var persons: [List: [String: String]] = [:]
    private(set) var singular: Set<String> = []

    static let table = BuiltInTable(
        TableForm("kinship", version: 1, columns: ["list", "person", "words"]),
        Embedded.kinship_tsv)

    init(_ rows: [TableRow]) throws(TableFault) {
        for row in rows {
            let list: List = try row.choice("list")
            if list == .person {
                singular.formUnion(row.words("words"))
                continue
            }
            let person = try row.neededText("person")
            for word in row.words("words") { persons[list, default: [:]][word] = person }
        }
    }
}
