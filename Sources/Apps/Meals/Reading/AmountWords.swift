import TextTables

/// The rows of `amounts.tsv`: number words, approximate amounts, fractions and sizes.
struct AmountWords: Sendable {
    enum Kind: String, CaseIterable {
        case number, multiple, about, part, size
    }

    private var values: [Kind: [String: Double]] = [:]
    /// For a size, another size under which a food's table may give the weight.
    private(set) var alike: [String: String] = [:]

    static let table = BuiltInTable(
        TableForm("amounts", version: 2, columns: ["kind", "value", "like", "words"]),
        Embedded.amounts_tsv)

    init(_ rows: [TableRow]) throws(TableFault) {
        for row in rows {
            let kind: Kind = try row.choice("kind")
            let value = try row.neededNumber("value", in: 0...1e6)
            let like = row.text("like")
            for word in row.words("words") {
                values[kind, default: [:]][word] = value
                if kind == .size { alike[word] = like.isEmpty ? nil : like }
            }
        }
    }

    subscript(kind: Kind) -> [String: Double] { values[kind] ?? [:] }
}
