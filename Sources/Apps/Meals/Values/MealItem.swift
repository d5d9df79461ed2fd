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

/// What the client shows an item as, and counts its drinks by.
public enum FoodType: String, Sendable, CaseIterable {
    /// Eaten.
    case food
    /// Drunk, with something in it.
    case drink
    /// Plain water, still or sparkling.
    case water
}

/// Energy and nutrients of some amount of food, unrounded.
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

    /// Of nothing, or of water.
    public static let none = Self(
        energy: 0, protein: 0, carbohydrate: 0, fat: 0, fiber: 0, sugar: 0)

    /// Takes them as they are; `Food` is what checks them.
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

    /// Of `factor` times as much.
    public func times(_ factor: Double) -> Self {
        Self(
            energy: energy * factor, protein: protein * factor, carbohydrate: carbohydrate * factor,
            fat: fat * factor, fiber: fiber.map { $0 * factor }, sugar: sugar.map { $0 * factor })
    }
}

/// How figures leave the server: calories whole, grams and quantities to a fixed decimal, half away
/// from zero. What cannot be a number of the client's types is clamped, never trapped on.
enum Rounding {
    /// More than any sum of `Meals.itemsMax` items can be.
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

/// The sums of a meal's items, as they are stored and sent.
///
/// Items are summed as they are shown, so that a person who adds them up finds the same.
public struct MealTotals: Sendable, Equatable {
    /// Kilocalories.
    public let calories: Int
    /// Grams, one decimal.
    public let protein: Double
    /// Grams, one decimal.
    public let carbohydrate: Double
    /// Grams, one decimal.
    public let fat: Double
    /// Grams, one decimal; nil only if no item knows.
    public let fiber: Double?
    /// Grams, one decimal; nil only if no item knows.
    public let sugar: Double?

    /// Of no items: zero, fiber and sugar nil.
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
