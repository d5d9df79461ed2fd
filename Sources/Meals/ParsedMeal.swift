/// What a parser made of a sentence.
public struct ParsedMeal: Sendable, Equatable {
    /// In the order of the sentence, numbered from 0; at least one.
    public let items: [MealItem]
    /// The food in the table that each item is; nil: unknown.
    public let foods: [Food?]

    /// The sums of the items.
    public var totals: MealTotals {
        MealTotals(items)
    }

    /// The mean of the items' confidences, by weight in calories where there are any.
    public var confidence: Double? {
        let known = items.compactMap { item in item.confidence.map { (item, $0) } }
        guard !known.isEmpty else { return nil }
        let weights = known.map { Double($0.0.calories) + 1 }
        let sum = zip(known, weights).reduce(0) { $0 + $1.0.1 * $1.1 }
        return Rounding.toHundredth(sum / weights.reduce(0, +))
    }

    /// - Parameter foods: As many as items.
    public init(items: [MealItem], foods: [Food?]) {
        precondition(items.count == foods.count, "BUG: \(items.count) items, \(foods.count) foods")
        self.items = items
        self.foods = foods
    }
}
