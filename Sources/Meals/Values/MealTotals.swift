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
