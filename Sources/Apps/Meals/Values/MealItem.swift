/// One food of a meal as it is stored and sent.
public struct MealItem: Sendable, Equatable {
    /// The id of the row in `sluice.food` that the figures come from.
    public var foodID: String?
    /// The id of the row in `sluice.user_food` that the figures come from.
    public var userFoodID: String?
    /// The name as the client shows it: `Grilled Chicken Breast`.
    public var name: String
    /// Food, drink or water.
    public var type: FoodType
    /// The number of `unit`s, more than 0.
    public var quantity: Double
    /// The unit of the quantity: `g`, `slices`, `large`.
    public var unit: String
    /// The weight of the quantity in grams; nil if the item was entered by hand or its weight is
    /// unknown.
    public var grams: Double?
    /// Kilocalories.
    public var calories: Int
    /// Grams.
    public var protein: Double
    /// Grams.
    public var carbohydrate: Double
    /// Grams.
    public var fat: Double
    /// Grams; nil: not known.
    public var fiber: Double?
    /// Grams; nil: not known.
    public var sugar: Double?
    /// How certain name, unit and quantity are: 0–1, two decimals. Nil for an item entered by hand.
    public var confidence: Double?
    /// The parser's assumptions.
    public var notes: String?
    /// The place in the meal, from 0.
    public var orderIndex: Int

    /// Rounds the figures to their stored precision: calories to whole numbers, grams and nutrients
    /// to one decimal, quantity and confidence to two.
    public init(
        foodID: String? = nil, userFoodID: String? = nil, name: String, type: FoodType,
        quantity: Double, unit: String, grams: Double? = nil, nutrients: Nutrients,
        confidence: Double? = nil, notes: String? = nil, orderIndex: Int
    ) {
        self.foodID = foodID
        self.userFoodID = userFoodID
        self.name = name
        self.type = type
        self.quantity = Rounding.toHundredth(quantity)
        self.unit = unit
        self.grams = grams.map(Rounding.toTenth)
        calories = Rounding.whole(nutrients.energy)
        protein = Rounding.toTenth(nutrients.protein)
        carbohydrate = Rounding.toTenth(nutrients.carbohydrate)
        fat = Rounding.toTenth(nutrients.fat)
        fiber = nutrients.fiber.map(Rounding.toTenth)
        sugar = nutrients.sugar.map(Rounding.toTenth)
        self.confidence = confidence.map { Rounding.toHundredth(min(max($0, 0), 1)) }
        self.notes = notes
        self.orderIndex = orderIndex
    }
}
