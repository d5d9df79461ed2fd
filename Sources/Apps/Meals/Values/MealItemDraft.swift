/// An item of a request, not checked yet.
///
/// A field is nil if its key is absent or null. Numbers are doubles even where the contract says
/// integer, so that decoders need not decide whether `200.0` is an integer.
public struct MealItemDraft: Sendable {
    /// `food_id`
    public var foodID: String?
    /// `user_food_id`
    public var userFoodID: String?
    /// `food_name`, required.
    public var name: String?
    /// `food_type`; the default is `food`.
    public var type: String?
    /// `quantity`, required.
    public var quantity: Double?
    /// `unit`, required.
    public var unit: String?
    /// `calories`, required.
    public var calories: Double?
    /// `protein_g`, required.
    public var protein: Double?
    /// `carbs_g`, required.
    public var carbohydrate: Double?
    /// `fat_g`, required.
    public var fat: Double?
    /// `fiber_g`
    public var fiber: Double?
    /// `sugar_g`
    public var sugar: Double?
    /// `parsing_notes`
    public var notes: String?
    /// `order_index`; the default is the place in the array.
    public var orderIndex: Double?

    /// An empty draft, to be filled field by field.
    public init() {}

    /// Unicode scalars in a name. A unit has at most a quarter of that.
    public static let nameLengthMax = 200
    /// Kilocalories in one item; even a large eater eats less in a day.
    public static let caloriesMax = 100_000.0
    /// Grams of one nutrient in one item; also the limit of a quantity.
    public static let amountMax = 100_000.0

    /// Checks all items of a request. The result is in the order of `order_index` and then of the
    /// array, numbered from 0.
    ///
    /// - Throws: the wrong number of items, or the first fault in the order of the array and of the
    ///   fields above.
    public static func validated(_ drafts: [Self]) throws(MealFault) -> [MealItem] {
        guard (1...Meals.itemsMax).contains(drafts.count) else {
            throw .itemCount(field: "items", max: Meals.itemsMax)
        }
        var items: [MealItem] = []
        for (place, draft) in drafts.enumerated() {
            items.append(try draft.validated(place: place))
        }
        let order = items.indices.sorted {
            (items[$0].orderIndex, $0) < (items[$1].orderIndex, $1)
        }
        return order.enumerated().map { place, index in
            var item = items[index]
            item.orderIndex = place
            return item
        }
    }

    /// Checks one item. `place` is its place in the request's array.
    func validated(place: Int) throws(MealFault) -> MealItem {
        let path = "items[\(place)]."
        let foodID = try FieldRules.identifier(foodID, field: path + "food_id")
        let userFoodID = try FieldRules.identifier(userFoodID, field: path + "user_food_id")
        let name = try FieldRules.text(name, max: Self.nameLengthMax, field: path + "food_name")
        let type: FoodType =
            try type == nil
            ? .food : MealFault.oneOf(FoodType.self, type, field: path + "food_type")
        let quantity = try FieldRules.amount(
            quantity, max: Self.amountMax, field: path + "quantity")
        guard Rounding.toHundredth(quantity) > 0 else {
            throw .notPositive(field: path + "quantity")
        }
        let unit = try FieldRules.text(unit, max: HouseholdUnit.nameLengthMax, field: path + "unit")
        let nutrients = Nutrients(
            energy: try FieldRules.amount(
                calories, max: Self.caloriesMax, field: path + "calories"),
            protein: try FieldRules.amount(protein, max: Self.amountMax, field: path + "protein_g"),
            carbohydrate: try FieldRules.amount(
                carbohydrate, max: Self.amountMax, field: path + "carbs_g"),
            fat: try FieldRules.amount(fat, max: Self.amountMax, field: path + "fat_g"),
            fiber: try FieldRules.optional(fiber, max: Self.amountMax, field: path + "fiber_g"),
            sugar: try FieldRules.optional(sugar, max: Self.amountMax, field: path + "sugar_g"))
        let notes = try FieldRules.notes(notes, field: path + "parsing_notes")
        let wanted = try orderIndex.map { index throws(MealFault) in
            try FieldRules.amount(index, max: Self.amountMax, field: path + "order_index")
        }
        return MealItem(
            foodID: foodID, userFoodID: userFoodID, name: name, type: type, quantity: quantity,
            unit: unit, nutrients: nutrients, notes: notes,
            orderIndex: wanted.map(Rounding.whole) ?? place)
    }
}
