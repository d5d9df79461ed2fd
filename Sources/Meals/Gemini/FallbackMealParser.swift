/// Asks one parser, and another one where the first has no answer.
///
/// What the second one says is marked as its own in every item's notes; what it throws is what the
/// sentence comes to. A sentence in which the first finds nothing is read by the second too.
public struct FallbackMealParser: MealParser {
    /// Stands in the notes of items that the first parser did not read.
    public static let note = "read without the model"

    private let first: any MealParser
    private let local: any MealParser

    /// - Parameters:
    ///   - first: may fail at any time.
    ///   - local: needs nothing from outside.
    public init(first: any MealParser, local: any MealParser) {
        self.first = first
        self.local = local
    }

    /// At most one call of each.
    public func parse(
        _ text: String, own: FoodIndex?
    ) async throws(MealParsingFailure) -> ParsedMeal {
        if let meal = try? await first.parse(text, own: own) { return meal }
        let meal = try await local.parse(text, own: own)
        let items = meal.items.map { item in
            var item = item
            item.notes = item.notes.map { $0 + "; " + Self.note } ?? Self.note
            return item
        }
        return ParsedMeal(items: items, foods: meal.foods)
    }
}
