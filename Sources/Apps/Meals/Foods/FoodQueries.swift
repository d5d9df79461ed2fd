public import Postgres
import Readings

/// The queries of the routes about users' own foods, and of the search over all foods.
public enum FoodQueries {
    /// Stores a new food of a user.
    public static func create(
        _ food: UserFoodRequest, forUser user: String, on connection: Connection
    ) throws(PostgresError) -> UserFoodAnswer {
        precondition(Meals.isUserID(user), "BUG: a user id that was not checked")
        var parameters = Parameters()
        parameters.append(text: user)
        parameters.append(jsonb: food.storedJSON)
        let rows: Rows
        do throws(PostgresError) {
            rows = try connection.query(
                """
                insert into sluice.user_food (
                    user_id, name, synonyms, food_type, energy_kcal, protein_g, carbs_g, fat_g,
                    fiber_g, sugar_g, density, unit_names, unit_grams)
                select $1, f.*
                from jsonb_to_record($2) as f (\(record))
                where (select count(*) from sluice.user_food where user_id = $1)
                    < \(Meals.userFoodsMax)
                returning \(userFood)
                """, parameters)
        } catch let error where error.sqlState == "23505" {
            return .nameTaken
        }
        return rows.count == 0 ? .tooMany : .done(json: body(rows))
    }

    /// One of the user's foods.
    public static func food(
        _ id: String, ofUser user: String, on connection: Connection
    ) throws(PostgresError) -> UserFoodAnswer {
        guard let id = MealID.canonical(id) else { return .notFound }
        var parameters = Parameters()
        parameters.append(text: id)
        let rows = try connection.query(
            "select \(userFood) from sluice.user_food where user_food_id = $1::text::uuid",
            parameters)
        guard rows.count == 1 else { return .notFound }
        return rows.string(0, 13) == user ? .done(json: body(rows)) : .foreign
    }

    /// Replaces all fields of a food. Logged meals keep their figures.
    public static func replace(
        _ id: String, with food: UserFoodRequest, byUser user: String, on connection: Connection
    ) throws(PostgresError) -> UserFoodAnswer {
        guard let canonical = MealID.canonical(id) else { return .notFound }
        var parameters = Parameters()
        parameters.append(text: canonical)
        parameters.append(text: user)
        parameters.append(jsonb: food.storedJSON)
        let rows: Rows
        do throws(PostgresError) {
            rows = try connection.query(
                """
                update sluice.user_food u set
                    name = f.name, synonyms = f.synonyms, food_type = f.food_type,
                    energy_kcal = f.energy_kcal, protein_g = f.protein_g, carbs_g = f.carbs_g,
                    fat_g = f.fat_g, fiber_g = f.fiber_g, sugar_g = f.sugar_g,
                    density = f.density, unit_names = f.unit_names, unit_grams = f.unit_grams,
                    updated_at = now()
                from jsonb_to_record($3) as f (\(record))
                where u.user_food_id = $1::text::uuid and u.user_id = $2
                returning u.user_food_id
                """, parameters)
        } catch let error where error.sqlState == "23505" {
            return .nameTaken
        }
        let found = try self.food(id, ofUser: user, on: connection)
        precondition(rows.count == 0 || found != .foreign, "BUG: replaced another user's food")
        return found
    }

    /// Deletes a food. Logged meals keep their figures.
    public static func delete(
        _ id: String, byUser user: String, on connection: Connection
    ) throws(PostgresError) -> UserFoodAnswer {
        guard let canonical = MealID.canonical(id) else { return .notFound }
        var parameters = Parameters()
        parameters.append(text: canonical)
        parameters.append(text: user)
        let rows = try connection.query(
            """
            delete from sluice.user_food where user_food_id = $1::text::uuid and user_id = $2
            returning 1
            """, parameters)
        if rows.count == 1 { return .done(json: "") }
        return try food(id, ofUser: user, on: connection)
    }

    /// Lists a user's foods by name. With a search text, only the foods that match it, the best
    /// match first.
    public static func foods(
        _ filter: FoodFilter, ofUser user: String, on connection: Connection
    ) throws(PostgresError) -> String {
        var parameters = Parameters()
        parameters.append(text: user)
        parameters.append(text: filter.search)
        let total = try connection.query(
            "select count(*) from sluice.user_food where \(ownCondition)", parameters
        ).int64(0, 0)
        parameters.append(int8: Int64(filter.part.limit))
        parameters.append(int8: Int64(filter.part.offset))
        let rows = try connection.query(
            """
            select \(userFood)
            from sluice.user_food
            where \(ownCondition)
            order by case when $2::text is null then 0 else -\(likeness) end, lower(name)
            limit $3 offset $4
            """, parameters)
        return JSONWriter.object { json in
            json.key("data")
            json.object { json in
                json.key("user_foods")
                json.array(0..<rows.count) { write(rows, $1, to: &$0) }
                filter.part.write(total: Int(total), shown: rows.count, to: &json)
            }
        }
    }

    /// Searches the user's own foods and everybody's. The own foods come first.
    public static func search(
        _ filter: FoodFilter, forUser user: String, on connection: Connection
    ) throws(PostgresError) -> String {
        var parameters = Parameters()
        parameters.append(text: user)
        parameters.append(text: filter.search ?? "")
        parameters.append(int4: Int32(filter.part.limit))
        let own = try connection.query(
            """
            select \(userFood)
            from sluice.user_food
            where \(ownCondition)
            order by -\(likeness), lower(name)
            limit $3
            """, parameters)
        let everybodys = try connection.query(
            """
            select food_id::text, \(FoodRows.columns), source
            from sluice.search_foods($2, $3)
            where $1::text is not null
            """, parameters)
        let left = max(filter.part.limit - own.count, 0)
        return JSONWriter.object { json in
            json.key("data")
            json.object { json in
                json.key("foods")
                json.array(0..<own.count + min(left, everybodys.count)) { json, row in
                    if row < own.count {
                        write(own, row, to: &json)
                    } else {
                        writeEverybodys(everybodys, row - own.count, to: &json)
                    }
                }
            }
        }
    }

    // MARK: Pieces

    private static let record = """
        name text, synonyms text[], food_type text, energy_kcal double precision,
        protein_g double precision, carbs_g double precision, fat_g double precision,
        fiber_g double precision, sugar_g double precision, density double precision,
        unit_names text[], unit_grams double precision[]
        """
    private static let userFood =
        "user_food_id::text, \(FoodRows.columns), user_id, created_at, updated_at"
    private static let likeness =
        "sluice.food_likeness($2, sluice.food_terms(name, synonyms))"
    private static let ownCondition =
        "user_id = $1 and ($2::text is null or \(likeness) >= 0.45)"

    private static func body(_ rows: Rows) -> String {
        JSONWriter.object { json in
            json.key("data")
            write(rows, 0, to: &json)
        }
    }

    private static func write(_ rows: Rows, _ row: Int, to json: inout JSONWriter) {
        let food = FoodRows.food(rows, row) { .user(id: $0) }
        json.object { json in
            json.field("id", rows.string(row, 0))
            json.field("source", "user")
            json.field("user_id", rows.string(row, 13))
            write(food, to: &json)
            json.field("created_at", MealRows.moment(rows, row, 14))
            json.field("updated_at", MealRows.moment(rows, row, 15))
        }
    }

    private static func writeEverybodys(_ rows: Rows, _ row: Int, to json: inout JSONWriter) {
        let food = FoodRows.food(rows, row) { .everybody(id: $0) }
        json.object { json in
            json.field("id", rows.string(row, 0))
            json.field("source", rows.string(row, 13))
            write(food, to: &json)
        }
    }

    private static func write(_ food: Food, to json: inout JSONWriter) {
        json.field("name", food.name)
        json.field("synonyms", strings: food.synonyms)
        json.field("food_type", food.type.rawValue)
        json.write(per100g: food.nutrients, as: "calories")
        json.field("density", food.density)
        json.key("units")
        json.array(food.units) { json, unit in
            json.object { json in
                json.field("name", unit.name)
                json.field("grams", unit.grams)
            }
        }
    }
}
