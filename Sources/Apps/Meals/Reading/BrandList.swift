import TextTables

/// The rows of `brands.tsv`; a later row of a brand replaces an earlier one.
struct BrandList: Sendable {
    /// Brands by their first lemma, the longest first.
    let brands: [String: [Brand]]

    static let table = BuiltInTable(
        TableForm("brands", version: 1, columns: ["brand", "food"]), Embedded.brands_tsv)

    init(_ rows: [TableRow]) throws(TableFault) {
        var brands: [String: [Brand]] = [:]
        // Lookups find the first of several equal brands, so the last row must come first.
        for row in rows.reversed() {
            let words = try row.neededText("brand").split(separator: " ").map {
                Lemma.of(String($0))
            }
            let food = row.text("food")
            brands[words[0], default: []].append(
                Brand(words: words, food: food.isEmpty ? nil : food))
        }
        self.brands = brands.mapValues { $0.sorted { $0.words.count > $1.words.count } }
    }
}
