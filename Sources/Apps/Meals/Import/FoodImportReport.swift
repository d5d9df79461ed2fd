/// The result of an import.
public struct FoodImportReport: Sendable {
    /// Why a food of a wanted kind was left out.
    public enum Reason: String, Sendable, CaseIterable {
        /// Energy is not given in any form.
        case energyMissing
        /// Protein, carbohydrate or fat is not given.
        case nutrientMissing
        /// More than 100 g of a nutrient in 100 g, or more than 1000 kcal (pure fat has about 900).
        case implausible
        /// The name has no letters.
        case nameMissing
    }

    /// The foods, in the order of `food.csv`.
    public internal(set) var foods: [ImportedFood] = []
    /// The number of foods that were left out, by reason.
    public internal(set) var leftOut: [Reason: Int] = [:]
    /// The number of rows in all files.
    public internal(set) var rows = 0
}
