import Postgres

/// Reads foods from rows of `sluice.food` and `sluice.user_food`.
enum FoodRows {
    /// The columns to select from either table. The id as text must be selected first.
    static let columns = """
        name, array_to_string(synonyms, E'\\n'), food_type, energy_kcal, protein_g, carbs_g, fat_g,
        fiber_g, sugar_g, density, array_to_string(unit_names, E'\\n'),
        array_to_string(unit_grams, E'\\n')
        """

    /// - Parameter first: the place of the first of ``columns`` in the row.
    static func food(
        _ rows: Rows, _ row: Int, from first: Int = 1, origin: (String) -> Food.Origin
    ) -> Food {
        let names = rows.string(row, first + 10).split(separator: "\n")
        let grams = rows.string(row, first + 11).split(separator: "\n")
        let units = zip(names, grams).compactMap { name, grams in
            Double(grams).map { HouseholdUnit(name: String(name), grams: $0) }
        }
        return Food(
            origin: origin(rows.string(row, 0)), name: rows.string(row, first),
            synonyms: rows.string(row, first + 1).split(separator: "\n").map(String.init),
            type: MealRows.word(rows, row, first + 2),
            nutrients: Nutrients(
                energy: rows.float64(row, first + 3), protein: rows.float64(row, first + 4),
                carbohydrate: rows.float64(row, first + 5), fat: rows.float64(row, first + 6),
                fiber: MealRows.number(rows, row, first + 7),
                sugar: MealRows.number(rows, row, first + 8)),
            density: rows.float64(row, first + 9), units: units)
    }
}
