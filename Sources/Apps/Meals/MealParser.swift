/// Parses a sentence into the foods that were eaten.
public protocol MealParser: Sendable {
    /// The items of a sentence.
    ///
    /// - Parameter own: The user's own foods, which win over everybody's.
    /// - Throws: `MealParsingFailure`. `.nothingParsed` is final; `.unavailable` may be retried.
    func parse(_ text: String, own: FoodIndex?) async throws(MealParsingFailure) -> ParsedMeal
}
