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

/// The kind of an item. Clients show it and count drinks by it.
public enum FoodType: String, Sendable, CaseIterable {
    /// Eaten.
    case food
    /// Drunk, with something in it.
    case drink
    /// Plain water, still or sparkling.
    case water
}

/// Energy and nutrients of an amount of food, unrounded.
public struct Nutrients: Sendable, Equatable {
    /// Kilocalories.
    public var energy: Double
    /// Grams.
    public var protein: Double
    /// Grams, fiber included.
    public var carbohydrate: Double
    /// Grams.
    public var fat: Double
    /// Grams; nil: not known.
    public var fiber: Double?
    /// Grams; nil: not known.
    public var sugar: Double?

    /// The nutrients of water: all zero.
    public static let none = Self(
        energy: 0, protein: 0, carbohydrate: 0, fat: 0, fiber: 0, sugar: 0)

    /// Stores the values without checks. Whoever reads them from outside checks them.
    public init(
        energy: Double, protein: Double, carbohydrate: Double, fat: Double, fiber: Double? = nil,
        sugar: Double? = nil
    ) {
        self.energy = energy
        self.protein = protein
        self.carbohydrate = carbohydrate
        self.fat = fat
        self.fiber = fiber
        self.sugar = sugar
    }

    /// The nutrients of `factor` times the amount.
    public func times(_ factor: Double) -> Self {
        Self(
            energy: energy * factor, protein: protein * factor, carbohydrate: carbohydrate * factor,
            fat: fat * factor, fiber: fiber.map { $0 * factor }, sugar: sugar.map { $0 * factor })
    }
}

/// Rounds the figures of responses: calories to whole numbers, grams and quantities to a fixed
/// decimal, half away from zero. NaN becomes 0 and numbers that are too large are clamped, so no
/// conversion traps.
enum Rounding {
    /// A bound above every possible sum of `Meals.itemsMax` items.
    private static let limit = 1e12

    static func whole(_ value: Double) -> Int {
        Int(clamped(value).rounded())
    }

    static func toTenth(_ value: Double) -> Double {
        (clamped(value) * 10).rounded() / 10
    }

    static func toHundredth(_ value: Double) -> Double {
        (clamped(value) * 100).rounded() / 100
    }

    private static func clamped(_ value: Double) -> Double {
        value.isNaN ? 0 : min(max(value, -limit), limit)
    }
}

/// The sums over a meal's items, as stored and sent.
///
/// Rounded figures are summed, so that the sums agree with the figures that clients show.
public struct MealTotals: Sendable, Equatable {
    /// Kilocalories.
    public let calories: Int
    /// Grams, one decimal.
    public let protein: Double
    /// Grams, one decimal.
    public let carbohydrate: Double
    /// Grams, one decimal.
    public let fat: Double
    /// Grams, one decimal; nil if no item has a value.
    public let fiber: Double?
    /// Grams, one decimal; nil if no item has a value.
    public let sugar: Double?

    /// Sums the items. Without items all sums are 0, and fiber and sugar are nil.
    public init(_ items: some Collection<MealItem>) {
        calories = items.reduce(0) { $0 + $1.calories }
        protein = Self.sum(items.map(\.protein))
        carbohydrate = Self.sum(items.map(\.carbohydrate))
        fat = Self.sum(items.map(\.fat))
        let fibers = items.compactMap(\.fiber)
        fiber = fibers.isEmpty ? nil : Self.sum(fibers)
        let sugars = items.compactMap(\.sugar)
        sugar = sugars.isEmpty ? nil : Self.sum(sugars)
    }

    private static func sum(_ grams: [Double]) -> Double {
        Rounding.toTenth(grams.reduce(0, +))
    }
}
