import TextTables

/// A unit that an amount is in.
enum Measure: Sendable, Equatable {
    /// Grams in one.
    case mass(grams: Double, label: String)
    /// Millilitres in one.
    case volume(millilitres: Double, label: String)
    /// A word that the food's table says the weight of.
    case household(String)

    /// Ounces are of weight, and of volume where something is drunk.
    static let ounce = Self.mass(grams: 28.35, label: "oz")
    static let fluidOunce = Self.volume(millilitres: 29.57, label: "fl oz")

    /// Units that mean the same for every food, by lemma.
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

    /// Other words for household units, by lemma.
    static let sameAs = units.sameAs
    /// Millilitres of household units that hold something.
    static let vessels = units.vessels
    /// Grams of household units that a food's table need not say.
    static let pieces = units.pieces
    /// Words of ``pieces`` that also mean a meal: "a quick bite".
    static let mouthfuls = units.mouthfuls
    /// What else a food's table may call it, in the order of likeness.
    static let alike = units.alike
    /// Units that one counts, so that a plural without a number means about two.
    static let counted = units.counted
}

/// The rows of `units.tsv`; the later row of a unit wins.
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
