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
