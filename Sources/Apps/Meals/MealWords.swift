import TextTables

/// The parser's words, read from the tables once per process.
struct MealWords: Sendable {
    let words: WordRoles
    let amounts: AmountWords
    let units: HouseholdUnits
    let brands: BrandList
    let dishes: DishWords
    let lean: LeanWords

    static let tables = [
        WordRoles.table, AmountWords.table, HouseholdUnits.table, BrandList.table, DishWords.table,
        LeanWords.table,
    ]

    static let chosen = ChosenOnce<MealWords> {
        do throws(TableFault) {
            return try MealWords(.builtIn)
        } catch {
            preconditionFailure("BUG: \(error)")
        }
    }

    static let current = chosen.value()

    init(_ files: TableFiles) throws(TableFault) {
        words = try WordRoles(files.rows(of: WordRoles.table))
        amounts = try AmountWords(files.rows(of: AmountWords.table))
        units = try HouseholdUnits(files.rows(of: HouseholdUnits.table))
        brands = try BrandList(files.rows(of: BrandList.table))
        dishes = try DishWords(files.rows(of: DishWords.table))
        lean = try LeanWords(files.rows(of: LeanWords.table))
    }
}
