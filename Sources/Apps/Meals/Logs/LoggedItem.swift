import Readings

/// An item with its id, as a log has it.
struct LoggedItem: Equatable {
    let id: String
    let item: MealItem
    let createdAt: Timestamp

    /// New ones for what was parsed or entered now.
    static func made(_ items: [MealItem], at now: Timestamp) -> [Self] {
        items.map { Self(id: MealID.make(), item: $0, createdAt: now) }
    }
}

extension [LoggedItem] {
    /// What a person might have written for them: `2 large Egg, 30 g Cheddar Cheese`. As long as what
    /// people write may be; items beyond are left out.
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

    /// As `sluice.insert_meal_items` takes them.
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

    /// As clients take them.
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
    /// As `sluice.store_meal_logs` and its like take them.
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
