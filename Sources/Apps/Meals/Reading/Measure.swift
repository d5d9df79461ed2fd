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
