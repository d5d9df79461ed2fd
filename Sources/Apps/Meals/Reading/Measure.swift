import TextTables

/// The unit of an amount.
enum Measure: Sendable, Equatable {
    /// A weight, with the grams in one unit.
    case mass(grams: Double, label: String)
    /// A volume, with the millilitres in one unit.
    case volume(millilitres: Double, label: String)
    /// A household unit, whose weight depends on the food.
    case household(String)

    /// An ounce by weight. For drinks, ``Portion`` reads it as a fluid ounce.
    static let ounce = Self.mass(grams: 28.35, label: "oz")
    static let fluidOunce = Self.volume(millilitres: 29.57, label: "fl oz")

    private static let units = MealWords.current.units

    /// Units of weight and volume, which mean the same for every food, by lemma.
    static let measured = units.measured
    /// Synonyms of household units, by lemma.
    static let sameAs = units.sameAs
    /// Household units that hold something, with their millilitres.
    static let vessels = units.vessels
    /// Household units with a default weight in grams, for foods whose table does not give one.
    static let pieces = units.pieces
    /// For a unit, other units under which a food's table may give the weight, the most similar
    /// first.
    static let alike = units.alike
    /// What is special about a household unit; `units.tsv` explains the words.
    static let uses = units.uses
}

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
