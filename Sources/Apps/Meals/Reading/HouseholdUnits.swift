import TextTables

/// The rows of `units.tsv`; a later row of a unit replaces an earlier one.
struct HouseholdUnits: Sendable {
    enum Use: String, CaseIterable {
        case none = ""
        case counted, mouthful, container, vague, measure
    }

    var measured: [String: Measure] = [:]
    var vessels: [String: Double] = [:]
    var pieces: [String: Double] = [:]
    var sameAs: [String: String] = [:]
    var alike: [String: [String]] = [:]
    var uses: [String: Use] = [:]

    static let table = BuiltInTable(
        TableForm(
            "units", version: 2, columns: ["unit", "millilitres", "grams", "use", "like", "also"]),
        Embedded.units_tsv)

    init(_ rows: [TableRow]) throws(TableFault) {
        for row in rows {
            let unit = try row.neededText("unit")
            let millilitres = try row.number("millilitres", in: 0...100_000)
            let grams = try row.number("grams", in: 0...Portion.gramsMax)
            uses[unit] = try row.choice("use")
            if uses[unit] == .measure {
                for word in [unit] + row.words("also") {
                    measured[word] =
                        millilitres.map { .volume(millilitres: $0, label: unit) }
                        ?? .mass(grams: grams ?? 1, label: unit)
                }
                continue
            }
            vessels[unit] = millilitres
            pieces[unit] = grams
            alike[unit] = row.words("like")
            for word in row.words("also") { sameAs[word] = unit }
        }
    }
}
