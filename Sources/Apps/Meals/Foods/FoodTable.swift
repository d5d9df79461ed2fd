public import TextTables

/// Everybody's typical foods as a text table, which can be exported from the database, edited and
/// loaded.
///
/// A row is a food. Nutrients are in grams per 100 g; an empty fiber or sugar is unknown. Density
/// is in grams per millilitre; if empty, it is 1. Synonyms are separated by commas. Units are
/// `unit=grams`, separated by spaces; the first is the portion that the bare name means. The unit
/// `with` is the portion when the food is added to another food, `splash` when it is added to a
/// drink.
public enum FoodTable {
    /// The table's name, version and columns.
    public static let form = TableForm(
        "foods", version: 1,
        columns: [
            "name", "synonyms", "type", "kcal", "protein", "carbohydrate", "fat", "fiber", "sugar",
            "density", "units",
        ])
    private static let nameLengthMax = 200

    /// The foods of a table, with names in lower case. A repeated name is a fault.
    public static func foods(_ table: TextTable) throws(TableFault) -> [Food] {
        var foods: [Food] = []
        var lines: [String: Int] = [:]
        for row in table.rows {
            let food = try food(row)
            if let line = lines.updateValue(row.line, forKey: food.name) {
                throw row.fault("name", .repeated(line: line))
            }
            foods.append(food)
        }
        return foods
    }

    /// The table of these foods.
    public static func text(_ foods: [Food]) -> String {
        var text = "\(form.title)\n\(form.columns.joined(separator: "\t"))\n"
        for food in foods {
            let nutrients = food.nutrients
            var cells = [food.name, food.synonyms.joined(separator: ", "), food.type.rawValue]
            cells += [
                nutrients.energy, nutrients.protein, nutrients.carbohydrate, nutrients.fat,
                nutrients.fiber, nutrients.sugar, food.density == 1 ? nil : food.density,
            ].map { $0.map(number) ?? "" }
            cells.append(
                food.units.map { "\($0.name)=\(number($0.grams))" }.joined(separator: " "))
            text += cells.joined(separator: "\t") + "\n"
        }
        return text
    }

    /// The number, without `.0` if it is whole.
    private static func number(_ value: Double) -> String {
        Int(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    private static func food(_ row: TableRow) throws(TableFault) -> Food {
        let name = try row.neededText("name").lowercased()
        guard name.unicodeScalars.count <= nameLengthMax else {
            throw row.fault("name", .notLike("at most \(nameLengthMax) characters"))
        }
        let synonyms = row.text("synonyms").split(separator: ",").map { text in
            String(text.drop { $0 == " " }).lowercased()
        }
        return Food(
            name: name, synonyms: synonyms.filter { !$0.isEmpty }, type: try row.choice("type"),
            nutrients: Nutrients(
                energy: try row.neededNumber("kcal", in: 0...1000),
                protein: try row.neededNumber("protein", in: 0...100),
                carbohydrate: try row.neededNumber("carbohydrate", in: 0...100),
                fat: try row.neededNumber("fat", in: 0...100),
                fiber: try row.number("fiber", in: 0...100),
                sugar: try row.number("sugar", in: 0...100)),
            density: try row.number("density", in: 0.01...UserFoodRequest.densityMax) ?? 1,
            units: try units(row))
    }

    private static func units(_ row: TableRow) throws(TableFault) -> [HouseholdUnit] {
        var units: [HouseholdUnit] = []
        for unit in row.text("units").split(separator: " ") {
            let pair = unit.split(separator: "=", omittingEmptySubsequences: false)
            guard pair.count == 2, !pair[0].isEmpty, let grams = Double(pair[1]), grams > 0,
                grams <= Portion.gramsMax
            else { throw row.fault("units", .notLike("unit=grams, separated by spaces")) }
            units.append(HouseholdUnit(name: String(pair[0]), grams: grams))
        }
        return units
    }
}
