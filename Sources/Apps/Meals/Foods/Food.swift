import Postgres

/// One food: its names, nutrients and portions.
public struct Food: Sendable, Equatable {
    /// Whether the food is everybody's or a user's, and the id of its row.
    public enum Origin: Sendable, Equatable {
        /// A row of `sluice.food`; the id is nil outside of a database.
        case everybody(id: String?)
        /// A row of `sluice.user_food`.
        case user(id: String)
    }

    /// The food's row.
    public var origin: Origin
    /// The name, as responses show it: `whole wheat toast`. Everybody's foods have it in lower
    /// case.
    public var name: String
    /// Other names of the food.
    public var synonyms: [String]
    /// Food, drink or water.
    public var type: FoodType
    /// Energy and nutrients per 100 g.
    public var nutrients: Nutrients
    /// Grams per millilitre.
    public var density: Double
    /// The portions; the first is the one that the bare name means.
    public var units: [HouseholdUnit]

    /// Stores the values without checks.
    public init(
        origin: Origin = .everybody(id: nil), name: String, synonyms: [String] = [],
        type: FoodType = .food, nutrients: Nutrients, density: Double = 1,
        units: [HouseholdUnit] = []
    ) {
        self.origin = origin
        self.name = name
        self.synonyms = synonyms
        self.type = type
        self.nutrients = nutrients
        self.density = density
        self.units = units
    }

    /// Grams of one `unit` of this food; nil if the table does not give them.
    public func grams(of unit: String) -> Double? {
        units.first { $0.name == unit }?.grams
    }

    /// The nutrients of an amount in grams.
    public func nutrients(grams: Double) -> Nutrients {
        nutrients.times(grams / 100)
    }
}

/// A portion of one food in a household unit: a slice of bread, a cup of rice.
public struct HouseholdUnit: Sendable, Equatable {
    /// One lower-cased word, singular: `slice`.
    public var name: String
    /// The weight of one unit.
    public var grams: Double

    /// Stores the values without checks. Whoever reads them from outside checks them.
    public init(name: String, grams: Double) {
        self.name = name
        self.grams = grams
    }
}

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

/// Loads foods from the database.
enum StoredFoods {
    /// Everybody's foods, and a version that they have at least: the version is read before the
    /// foods.
    ///
    /// Typical foods come before imported ones. If two have the same name, the first keeps it.
    static func everybodys(
        on connection: Connection
    ) throws(PostgresError) -> (version: Int64, index: FoodIndex) {
        let version = try connection.query("select version from sluice.food_version").int64(0, 0)
        let rows = try connection.query(
            """
            select food_id::text, \(FoodRows.columns), source = 'typical'
            from sluice.food
            order by source <> 'typical', fdc_id, name
            limit \(FoodIndex.foodsMax)
            """)
        var typical: [Food] = []
        var imported: [Food] = []
        for row in 0..<rows.count {
            let food = FoodRows.food(rows, row) { .everybody(id: $0) }
            if rows.bool(row, 13) { typical.append(food) } else { imported.append(food) }
        }
        return (version, FoodIndex(typical, then: imported))
    }

    /// The typical foods, which are not imported.
    static func typical(on connection: Connection) throws(PostgresError) -> [Food] {
        let rows = try connection.query(
            """
            select food_id::text, \(FoodRows.columns)
            from sluice.food
            where source = 'typical'
            order by name
            """)
        return (0..<rows.count).map { FoodRows.food(rows, $0) { .everybody(id: $0) } }
    }

    /// A user's own foods.
    static func own(
        ofUser user: String, on connection: Connection
    ) throws(PostgresError) -> FoodIndex {
        var parameters = Parameters()
        parameters.append(text: user)
        let rows = try connection.query(
            """
            select user_food_id::text, \(FoodRows.columns)
            from sluice.user_food
            where user_id = $1
            order by lower(name)
            limit \(Meals.userFoodsMax)
            """, parameters)
        return FoodIndex((0..<rows.count).map { FoodRows.food(rows, $0) { .user(id: $0) } })
    }
}
