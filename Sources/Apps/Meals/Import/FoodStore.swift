public import Postgres

/// Reads and writes everybody's foods in `sluice.food`: the typical foods, and the imported ones
/// beside them.
public enum FoodStore {
    /// Counts the effects of a write.
    public struct Tally: Sendable, Equatable {
        /// Foods that are new.
        public internal(set) var new = 0
        /// Foods that were stored with other values.
        public internal(set) var changed = 0
        /// Foods that were stored with the same values.
        public internal(set) var same = 0
        /// Foods that were removed, because the table replaces the others and lacks them.
        public internal(set) var removed = 0
    }

    /// Foods written by one statement.
    private static let portion = 500

    /// A food and its key: the number of FoodData Central, or the name.
    private struct Row {
        /// Nil for a typical food.
        let fdcID: Int64?
        let food: Food
    }

    /// Writes imported foods, all or none, in one transaction. Writing the same foods again changes
    /// nothing. Stored foods that are not among these stay, because they may be from another
    /// download.
    ///
    /// - Parameter progress: called with the number of foods written so far.
    public static func write(
        _ foods: [ImportedFood], on connection: Connection, progress: (Int) -> Void = { _ in }
    ) throws -> Tally {
        var known: Set<Int64> = []
        let rows = foods.filter { known.insert($0.fdcID).inserted }
            .map { Row(fdcID: $0.fdcID, food: $0.food) }
        return try connection.transaction {
            try write(rows, on: connection, progress)
        }
    }

    /// The typical foods by name, for ``FoodTable``.
    public static func typical(on connection: Connection) throws(PostgresError) -> [Food] {
        try StoredFoods.typical(on: connection)
    }

    /// Writes typical foods, with the name as the key, all or none, in one transaction. Imported
    /// foods, users' foods and logged meals stay as they are.
    ///
    /// - Parameters:
    ///   - foods: Their names must be in lower case and different, as ``FoodTable`` makes them.
    ///   - extends: Whether other typical foods stay; otherwise they are removed.
    public static func writeTypical(
        _ foods: [Food], extends: Bool, on connection: Connection
    ) throws -> Tally {
        try connection.transaction {
            var tally = try write(foods.map { Row(fdcID: nil, food: $0) }, on: connection) { _ in }
            if !extends {
                var parameters = Parameters()
                var names = JSONWriter(capacity: 32 * foods.count)
                names.array(foods) { $0.string($1.name) }
                parameters.append(jsonb: names.text)
                let removed = try connection.query(
                    """
                    delete from sluice.food
                    where source = 'typical'
                        and lower(name) not in (select jsonb_array_elements_text($1))
                    returning 1
                    """, parameters)
                tally.removed = removed.count
            }
            return tally
        }
    }

    private static func write(
        _ rows: [Row], on connection: Connection, _ progress: (Int) -> Void
    ) throws(PostgresError) -> Tally {
        // Every statement below changes this row. Locking it first makes concurrent writers take
        // turns.
        try connection.query("select from sluice.food_version for update")
        var tally = Tally()
        var written = 0
        while written < rows.count {
            let part = rows[written..<min(written + portion, rows.count)]
            let (new, changed) = try write(part, on: connection)
            tally.new += new
            tally.changed += changed
            tally.same += part.count - new - changed
            written += part.count
            progress(written)
        }
        return tally
    }

    private static func write(
        _ part: ArraySlice<Row>, on connection: Connection
    ) throws(PostgresError) -> (new: Int, changed: Int) {
        var parameters = Parameters()
        parameters.append(jsonb: json(part))
        let isTypical = part.allSatisfy { $0.fdcID == nil }
        let same = isTypical ? "(lower(name)) where source = 'typical'" : "(fdc_id)"
        // A typical food has the same id in every database.
        let (column, id) =
            isTypical ? ("food_id, ", "md5('sluice.food/' || f.name)::uuid, ") : ("", "")
        let rows = try connection.query(
            """
            insert into sluice.food as o (
                \(column)source, fdc_id, name, synonyms, food_type, energy_kcal, protein_g, carbs_g,
                fat_g, fiber_g, sugar_g, density, unit_names, unit_grams)
            select \(id)'\(isTypical ? "typical" : "fdc")', f.*
            from jsonb_to_recordset($1) as f (
                fdc_id bigint, name text, synonyms text[], food_type text,
                energy_kcal double precision, protein_g double precision,
                carbs_g double precision, fat_g double precision, fiber_g double precision,
                sugar_g double precision, density double precision, unit_names text[],
                unit_grams double precision[])
            order by f.fdc_id, f.name
            on conflict \(same) do update set
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

    private static func json(_ rows: ArraySlice<Row>) -> String {
        var json = JSONWriter(capacity: 400 * rows.count)
        json.array(rows) { json, row in
            let food = row.food
            json.object { json in
                if let fdcID = row.fdcID { json.field("fdc_id", Int(fdcID)) }
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
