/// What came of reading the files.
public struct FoodImportReport: Sendable {
    /// Why a food of a wanted kind was left out.
    public enum Reason: String, Sendable, CaseIterable {
        /// None of the ways that energy is given.
        case energyMissing
        /// Protein, carbohydrate or fat is not given.
        case nutrientMissing
        /// More than 100 g in 100 g, or more energy than pure fat.
        case implausible
        /// No name.
        case nameMissing
    }

    /// In the order of `food.csv`.
    public internal(set) var foods: [ImportedFood] = []
    /// How many were left out.
    public internal(set) var leftOut: [Reason: Int] = [:]
    /// Rows of all files.
    public internal(set) var rows = 0
}
