/// A parsed sentence.
public struct ParsedMeal: Sendable, Equatable {
    /// In the order of the sentence, numbered from 0; at least one.
    public let items: [MealItem]
    /// For each item the food whose figures it has; nil if it has no such food.
    public let foods: [Food?]

    /// The sums over the items.
    public var totals: MealTotals {
        MealTotals(items)
    }

    /// The confidence below which an item makes the whole meal as doubtful as itself: an unknown
    /// food, more than one person eats, a container of unknown size. Its calories may be most of
    /// the meal's, or all that is missing.
    private static let distrusted = 0.4

    /// The mean of the items' confidences, weighted by calories + 1, or that of a distrusted item;
    /// nil if no item has a confidence.
    public var confidence: Double? {
        let known = items.compactMap { item in item.confidence.map { (item, $0) } }
        guard !known.isEmpty else { return nil }
        let weights = known.map { Double($0.0.calories) + 1 }
        let sum = zip(known, weights).reduce(0) { $0 + $1.0.1 * $1.1 }
        let mean = sum / weights.reduce(0, +)
        let least = known.map(\.1).min() ?? 1
        return Rounding.toHundredth(least < Self.distrusted ? min(least, mean) : mean)
    }

    /// - Parameter foods: One for each item.
    public init(items: [MealItem], foods: [Food?]) {
        precondition(items.count == foods.count, "BUG: \(items.count) items, \(foods.count) foods")
        self.items = items
        self.foods = foods
    }
}
