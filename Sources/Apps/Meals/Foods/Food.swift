import Postgres

/// One food: its names, nutrients and portions.
public struct Food: Sendable, Equatable {
    /// Whether the food is everybody's or a user's, and the id of its row.
    public enum Origin: Sendable, Equatable {
        /// A row of `sluice.food`; the id is nil outside of a database.
        case everybody(id: String?)
        /// A row of `sluice.user_food`.
        case user(id: String)
    }

    /// The food's row.
    public var origin: Origin
    /// The name, as responses show it: `whole wheat toast`. Everybody's foods have it in lower
    /// case.
    public var name: String
    /// Other names of the food.
    public var synonyms: [String]
    /// Food, drink or water.
    public var type: FoodType
    /// Energy and nutrients per 100 g.
    public var nutrients: Nutrients
    /// Grams per millilitre.
    public var density: Double
    /// The portions; the first is the one that the bare name means.
    public var units: [HouseholdUnit]

    /// Stores the values without checks.
    public init(
        origin: Origin = .everybody(id: nil), name: String, synonyms: [String] = [],
        type: FoodType = .food, nutrients: Nutrients, density: Double = 1,
        units: [HouseholdUnit] = []
    ) {
        self.origin = origin
        self.name = name
        self.synonyms = synonyms
        self.type = type
        self.nutrients = nutrients
        self.density = density
        self.units = units
    }

    /// Grams of one `unit` of this food; nil if the table does not give them.
    public func grams(of unit: String) -> Double? {
        units.first { $0.name == unit }?.grams
    }

    /// The nutrients of an amount in grams.
    public func nutrients(grams: Double) -> Nutrients {
        nutrients.times(grams / 100)
    }
}
