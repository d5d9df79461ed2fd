import TextTables

/// The rows of `dishes.tsv`: names of dishes as lemmas.
struct DishWords: Sendable {
    enum List: String, CaseIterable {
        case head, mixture, carrier, base, ambiguous, part
    }

    private var names: [List: Set<[String]>] = [:]

    static let table = BuiltInTable(
        TableForm("dishes", version: 1, columns: ["list", "words"]), Embedded.dishes_tsv)

    init(_ rows: [TableRow]) throws(TableFault) {
        let lists = try WordLists<List>(rows)
        for list in List.allCases {
            names[list] = Set(
                lists[list].map { $0.split(separator: " ").map { Lemma.of(String($0)) } })
        }
    }

    subscript(list: List) -> Set<[String]> { names[list] ?? [] }
}
