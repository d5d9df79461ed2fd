/// What the parser knows of one food.
public struct Food: Sendable, Equatable {
    /// Whose knowledge it is, and the row it comes from.
    public enum Origin: Sendable, Equatable {
        /// `sluice.food`; nil outside of a database.
        case everybody(id: String?)
        /// `sluice.user_food`.
        case user(id: String)
    }

    /// The row it stands in.
    public var origin: Origin
    /// As answers show it, lower-cased: `whole wheat toast`.
    public var name: String
    /// Other names for the same.
    public var synonyms: [String]
    /// Food, drink or water.
    public var type: FoodType
    /// In 100 g.
    public var nutrients: Nutrients
    /// Grams a millilitre.
    public var density: Double
    /// The first is the portion that the bare name means.
    public var units: [HouseholdUnit]

    /// Takes all of it as it is.
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

    /// Grams of one `unit` of this food, if the table says.
    public func grams(of unit: String) -> Double? {
        units.first { $0.name == unit }?.grams
    }

    /// Nutrients of so much of it.
    public func nutrients(grams: Double) -> Nutrients {
        nutrients.times(grams / 100)
    }
}
