import Readings

/// An item of a log, with its id.
struct LoggedItem: Equatable {
    let id: String
    let item: MealItem
    let createdAt: Timestamp

    /// Gives new ids to items that were parsed or entered now.
    static func made(_ items: [MealItem], at now: Timestamp) -> [Self] {
        items.map { Self(id: MealID.make(), item: $0, createdAt: now) }
    }
}

extension [LoggedItem] {
    /// A text for items that were entered without one: `2 large Egg, 30 g Cheddar Cheese`. It has
    /// at most `Meals.textLengthMax` scalars; further items are left out.
    var rawInput: String {
        var text = ""
        for logged in self {
            let item = logged.item
            let quantity = Int(exactly: item.quantity).map(String.init) ?? "\(item.quantity)"
            let next = "\(text.isEmpty ? "" : ", ")\(quantity) \(item.unit) \(item.name)"
            guard text.unicodeScalars.count + next.unicodeScalars.count <= Meals.textLengthMax
            else {
                break
            }
            text += next
        }
        return text
    }

    /// The items in the form that `sluice.insert_meal_items` reads.
    var storedJSON: String {
        var json = JSONWriter(capacity: 512 * count)
        json.array(self) { json, logged in
            let item = logged.item
            json.object { json in
                json.field("order_index", item.orderIndex)
                json.field("item_id", logged.id)
                json.field("food_id", item.foodID)
                json.field("user_food_id", item.userFoodID)
                json.field("food_name", item.name)
                json.field("food_type", item.type.rawValue)
                json.field("quantity", item.quantity)
                json.field("unit", item.unit)
                json.field("grams", item.grams)
                json.field("calories", item.calories)
                json.field("protein_g", item.protein)
                json.field("carbs_g", item.carbohydrate)
                json.field("fat_g", item.fat)
                json.field("fiber_g", item.fiber)
                json.field("sugar_g", item.sugar)
                json.field("confidence_score", item.confidence)
                json.field("parsing_notes", item.notes)
            }
        }
        return json.text
    }

    /// Writes the items in the form that clients read.
    func write(ofLog id: String, to json: inout JSONWriter) {
        json.array(self) { json, logged in
            let item = logged.item
            json.object { json in
                json.field("id", logged.id)
                json.field("meal_log_id", id)
                json.field("food_id", item.foodID)
                json.field("user_food_id", item.userFoodID)
                json.field("food_name", item.name)
                json.field("food_type", item.type.rawValue)
                json.field("quantity", item.quantity)
                json.field("unit", item.unit)
                json.field("grams", item.grams)
                json.field("calories", item.calories)
                json.field("protein_g", item.protein)
                json.field("carbs_g", item.carbohydrate)
                json.field("fat_g", item.fat)
                json.field("fiber_g", item.fiber)
                json.field("sugar_g", item.sugar)
                json.field("confidence_score", item.confidence)
                json.field("parsing_notes", item.notes)
                json.field("order_index", item.orderIndex)
                json.field("created_at", logged.createdAt)
            }
        }
    }
}

extension MealTotals {
    /// The totals in the form that `sluice.store_meal_logs`, `finish_meal_log` and
    /// `replace_meal_log` read.
    var storedJSON: String {
        JSONWriter.object { json in
            json.field("calories", calories)
            json.field("protein", protein)
            json.field("carbs", carbohydrate)
            json.field("fat", fat)
            json.field("fiber", fiber)
            json.field("sugar", sugar)
        }
    }
}
