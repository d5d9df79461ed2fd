import Gemini

/// Asks one parser, and a second one if the first fails.
///
/// The notes of every item from the second parser say so. If the second parser fails too, its error
/// is thrown. A sentence in which the first parser finds no food also goes to the second.
public struct FallbackMealParser: MealParser {
    /// The text in the notes of items from the second parser.
    public static let note = "read without the model"

    private let first: any MealParser
    private let local: any MealParser

    /// - Parameters:
    ///   - first: may fail at any time.
    ///   - local: must not depend on other services.
    public init(first: any MealParser, local: any MealParser) {
        self.first = first
        self.local = local
    }

    /// Calls each parser at most once.
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
