/// Reads what was eaten from a sentence.
public protocol MealParser: Sendable {
    /// The items of a sentence.
    ///
    /// - Parameter own: The user's own foods, which win over everybody's.
    /// - Throws: `MealParsingFailure`; `.nothingParsed` is final, the rest may be tried again.
    func parse(_ text: String, own: FoodIndex?) async throws(MealParsingFailure) -> ParsedMeal
}
