public import Postgres

/// Writes imported foods to `sluice.food`, beside the typical ones.
public enum FoodStore {
    /// What became of an import's foods.
    public struct Tally: Sendable, Equatable {
        /// Were not there.
        public internal(set) var new = 0
        /// Were there with other figures.
        public internal(set) var changed = 0
        /// Were there as they are.
        public internal(set) var same = 0
    }

    /// Foods of one statement.
    private static let portion = 500

    /// All of them or none, in one transaction; the same again changes nothing. Foods that are there
    /// and not among these stay: they may be of another download.
    ///
    /// - Parameter progress: told how many are written.
    public static func write(
        _ foods: [ImportedFood], on connection: Connection, progress: (Int) -> Void = { _ in }
    ) throws -> Tally {
        var known: Set<Int64> = []
        let foods = foods.filter { known.insert($0.fdcID).inserted }
        return try connection.transaction {
            // Which every portion changes: two imports take turns.
            try connection.query("select from sluice.food_version for update")
            var tally = Tally()
            var written = 0
            while written < foods.count {
                let part = foods[written..<min(written + portion, foods.count)]
                let (new, changed) = try write(part, on: connection)
                tally.new += new
                tally.changed += changed
                tally.same += part.count - new - changed
                written += part.count
                progress(written)
            }
            return tally
        }
    }

    private static func write(
        _ foods: ArraySlice<ImportedFood>, on connection: Connection
    ) throws(PostgresError) -> (new: Int, changed: Int) {
        var parameters = Parameters()
        parameters.append(jsonb: json(foods))
        let rows = try connection.query(
            """
            insert into sluice.food as o (
                fdc_id, name, synonyms, food_type, energy_kcal, protein_g, carbs_g, fat_g, fiber_g,
                sugar_g, density, unit_names, unit_grams, source)
            select f.*, 'fdc'
            from jsonb_to_recordset($1) as f (
                fdc_id bigint, name text, synonyms text[], food_type text,
                energy_kcal double precision, protein_g double precision,
                carbs_g double precision, fat_g double precision, fiber_g double precision,
                sugar_g double precision, density double precision, unit_names text[],
                unit_grams double precision[])
            order by f.fdc_id
            on conflict (fdc_id) do update set
                name = excluded.name, synonyms = excluded.synonyms,
                food_type = excluded.food_type, energy_kcal = excluded.energy_kcal,
                protein_g = excluded.protein_g, carbs_g = excluded.carbs_g,
                fat_g = excluded.fat_g, fiber_g = excluded.fiber_g, sugar_g = excluded.sugar_g,
                density = excluded.density, unit_names = excluded.unit_names,
                unit_grams = excluded.unit_grams, updated_at = now()
            where (o.name, o.synonyms, o.food_type, o.energy_kcal, o.protein_g, o.carbs_g, o.fat_g,
                    o.fiber_g, o.sugar_g, o.density, o.unit_names, o.unit_grams)
                is distinct from (excluded.name, excluded.synonyms, excluded.food_type,
                    excluded.energy_kcal, excluded.protein_g, excluded.carbs_g, excluded.fat_g,
                    excluded.fiber_g, excluded.sugar_g, excluded.density, excluded.unit_names,
                    excluded.unit_grams)
            returning o.xmax = 0
            """, parameters)
        let new = (0..<rows.count).count { rows.bool($0, 0) }
        return (new, rows.count - new)
    }

    private static func json(_ foods: ArraySlice<ImportedFood>) -> String {
        var json = JSONWriter(capacity: 400 * foods.count)
        json.array(foods) { json, imported in
            let food = imported.food
            json.object { json in
                json.field("fdc_id", Int(imported.fdcID))
                json.field("name", food.name)
                json.field("synonyms", strings: food.synonyms)
                json.field("food_type", food.type.rawValue)
                json.write(per100g: food.nutrients, as: "energy_kcal")
                json.field("density", min(max(food.density, 0.01), UserFoodRequest.densityMax))
                json.field("unit_names", strings: food.units.map(\.name))
                json.key("unit_grams")
                json.array(food.units) { $0.raw("\($1.grams)") }
            }
        }
        return json.text
    }
}
