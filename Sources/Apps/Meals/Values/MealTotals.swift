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
