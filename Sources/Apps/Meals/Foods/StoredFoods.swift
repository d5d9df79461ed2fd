import Postgres

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
