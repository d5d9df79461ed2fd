import Foundation
import Gemini

/// A model's answer, not checked yet.
struct GeminiMeal: Decodable {
    /// One item; the keys are those of the contract's items.
    struct Item: Decodable {
        var name: String
        var type: String
        var quantity: Double
        var unit: String
        var grams: Double
        var calories: Double
        var protein: Double
        var carbohydrate: Double
        var fat: Double
        var fiber: Double?
        var sugar: Double?
        var confidence: Double
        var notes: String?

        enum CodingKeys: String, CodingKey {
            case name = "food_name"
            case type = "food_type"
            case quantity, unit, grams, calories
            case protein = "protein_g"
            case carbohydrate = "carbs_g"
            case fat = "fat_g"
            case fiber = "fiber_g"
            case sugar = "sugar_g"
            case confidence
            case notes = "parsing_notes"
        }

        var draft: MealItemDraft {
            var draft = MealItemDraft()
            draft.name = GeminiMeal.trimmed(name)
            draft.type = type
            draft.quantity = quantity
            draft.unit = GeminiMeal.trimmed(unit)
            draft.calories = calories
            draft.protein = protein
            draft.carbohydrate = carbohydrate
            draft.fat = fat
            draft.fiber = fiber
            draft.sugar = sugar
            draft.notes = notes.map(GeminiMeal.trimmed).flatMap { $0.isEmpty ? nil : $0 }
            return draft
        }
    }

    var items: [Item]

    /// The checked meal, in the order of the answer.
    ///
    /// - Throws: the first fault that is found in an item.
    func meal(own: FoodIndex?) throws(MealFault) -> ParsedMeal {
        let checked = try MealItemDraft.validated(items.map(\.draft))
        var eaten: [MealItem] = []
        var foods: [Food?] = []
        for (place, (item, said)) in zip(checked, items).enumerated() {
            let path = "items[\(place)]."
            guard said.grams > 0 else { throw .notPositive(field: path + "grams") }
            guard said.grams <= MealItemDraft.amountMax else {
                throw .tooLarge(field: path + "grams", max: MealItemDraft.amountMax)
            }
            guard said.confidence >= 0 else { throw .negative(field: path + "confidence") }
            guard said.confidence <= 1 else {
                throw .tooLarge(field: path + "confidence", max: 1)
            }
            let food = own.flatMap { Self.food(named: item.name, in: $0) }
            let whole = Self.item(item, said, food)
            guard Double(whole.calories) <= MealItemDraft.caloriesMax else {
                throw .tooLarge(field: path + "calories", max: MealItemDraft.caloriesMax)
            }
            eaten.append(whole)
            foods.append(food)
        }
        return ParsedMeal(items: eaten, foods: foods)
    }

    /// Adds weight and confidence to a checked item. If the item is an own food, its figures come
    /// from there.
    private static func item(_ item: MealItem, _ said: Item, _ food: Food?) -> MealItem {
        guard let food else {
            var item = item
            item.grams = Rounding.toTenth(said.grams)
            item.confidence = Rounding.toHundredth(said.confidence)
            return item
        }
        let unit = Lemma.of(item.unit.lowercased())
        let one = food.units.first { Lemma.of($0.name) == unit }?.grams
        let grams = one.map { $0 * said.quantity } ?? said.grams
        var userFoodID: String?
        if case .user(let id) = food.origin { userFoodID = id }
        return MealItem(
            userFoodID: userFoodID, name: item.name, type: food.type, quantity: said.quantity,
            unit: item.unit, grams: grams, nutrients: food.nutrients(grams: grams),
            confidence: said.confidence, notes: item.notes, orderIndex: item.orderIndex)
    }

    /// The own food with exactly this name, or with its words in another order.
    private static func food(named name: String, in own: FoodIndex) -> Food? {
        let lemmas = FoodIndex.lemmas(of: name)
        if let found = own.longest(lemmas), found.count == lemmas.count { return found.food }
        return lemmas.isEmpty ? nil : own.bag(FoodIndex.bagKey(lemmas))
    }

    private static func trimmed(_ text: String) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
