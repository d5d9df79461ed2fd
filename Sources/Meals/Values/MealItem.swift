/// One food of a meal as it is stored and sent.
public struct MealItem: Sendable, Equatable {
    /// Row of `sluice.food` that the figures come from.
    public var foodID: String?
    /// Row of `sluice.user_food` that the figures come from.
    public var userFoodID: String?
    /// As the client shows it: `Grilled Chicken Breast`.
    public var name: String
    /// Food, drink or water.
    public var type: FoodType
    /// How many of `unit`, more than 0.
    public var quantity: Double
    /// `g`, `slices`, `large`.
    public var unit: String
    /// What that weighs; nil for an item entered by hand.
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
    /// 0–1, two decimals: how well name, unit and quantity were understood; nil when a person said so.
    public var confidence: Double?
    /// What the parser had to assume.
    public var notes: String?
    /// Place in the meal, from 0.
    public var orderIndex: Int

    /// Rounds figures as they are stored: calories whole, grams to one decimal.
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
