import Postgres

/// What the parser reads of the tables of foods.
enum StoredFoods {
    /// Everybody's foods and the version that they are of, or a later one.
    ///
    /// Typical foods come before imported ones: where two have a name, the first has it.
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

    /// The foods that a user has entered.
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
