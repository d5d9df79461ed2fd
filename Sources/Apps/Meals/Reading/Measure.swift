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

    /// Units of weight and volume, which mean the same for every food, by lemma.
    static let measured: [String: Self] = {
        var units: [String: Self] = [:]
        let masses: [(Double, String, [String])] = [
            (1, "g", ["g", "gm", "gr", "gram", "gramme", "grm"]),
            (1000, "kg", ["kg", "kilo", "kilogram", "kgs"]),
            (0.001, "mg", ["mg", "milligram"]),
            (453.59, "lb", ["lb", "pound"]),
        ]
        for (grams, label, words) in masses {
            for word in words { units[word] = .mass(grams: grams, label: label) }
        }
        let volumes: [(Double, String, [String])] = [
            (1, "ml", ["ml", "milliliter", "millilitre", "mls", "cc"]),
            (10, "cl", ["cl", "centiliter", "centilitre"]),
            (100, "dl", ["dl", "deciliter", "decilitre"]),
            (1000, "l", ["l", "liter", "litre", "ltr", "lt"]),
            (946.4, "quart", ["quart", "qt"]),
            (3785, "gallon", ["gallon", "gal"]),
        ]
        for (millilitres, label, words) in volumes {
            for word in words { units[word] = .volume(millilitres: millilitres, label: label) }
        }
        for word in ["oz", "ounce", "ozs"] { units[word] = ounce }
        return units
    }()

    private static let units = MealWords.current.units

    /// Synonyms of household units, by lemma.
    static let sameAs = units.sameAs
    /// Household units that hold something, with their millilitres.
    static let vessels = units.vessels
    /// Household units with a default weight in grams, for foods whose table does not give one.
    static let pieces = units.pieces
    /// Units of ``pieces`` that also mean a meal: "a quick bite".
    static let mouthfuls = units.mouthfuls
    /// For a unit, other units under which a food's table may give the weight, the most similar
    /// first.
    static let alike = units.alike
    /// Countable units: a plural without a number means about two.
    static let counted = units.counted
}

/// The rows of `units.tsv`; a later row of a unit replaces an earlier one.
struct HouseholdUnits: Sendable {
    private enum Use: String, CaseIterable {
        case none = ""
        case counted, mouthful
    }

    var vessels: [String: Double] = [:]
    var pieces: [String: Double] = [:]
    var sameAs: [String: String] = [:]
    var alike: [String: [String]] = [:]
    var counted: Set<String> = []
    var mouthfuls: Set<String> = []

    static let table = BuiltInTable(
        TableForm(
            "units", version: 1, columns: ["unit", "millilitres", "grams", "use", "like", "also"]),
        Embedded.units_tsv)

    init(_ rows: [TableRow]) throws(TableFault) {
        for row in rows {
            let unit = try row.neededText("unit")
            vessels[unit] = try row.number("millilitres", in: 0...100_000)
            pieces[unit] = try row.number("grams", in: 0...Portion.gramsMax)
            let use: Use = try row.choice("use")
            if use == .counted { counted.insert(unit) } else { counted.remove(unit) }
            if use == .mouthful { mouthfuls.insert(unit) } else { mouthfuls.remove(unit) }
            alike[unit] = row.words("like")
            for word in row.words("also") { sameAs[word] = unit }
        }
    }
}
