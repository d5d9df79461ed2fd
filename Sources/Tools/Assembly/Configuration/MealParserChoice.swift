import Gemini
import Logging
import Meals

/// What parses meals written in words.
enum MealParserChoice: String, CaseIterable, Sendable {
    /// This machine, with the table of foods.
    case local
    /// A model, and this machine if the model has no usable answer.
    case gemini

    /// The duration that clients are told to expect.
    var estimatedSeconds: Int {
        switch self {
        case .local: 1
        case .gemini: GeminiMealParser.estimatedSeconds
        }
    }

    /// Returns a function that makes the parser for the current foods.
    ///
    /// - Parameters:
    ///   - model: required for ``gemini``.
    ///   - logger: gets a warning for each meal for which the model had no usable answer.
    func maker(
        model: GeminiClient?, logger: Logger
    ) -> @Sendable (FoodIndex) -> any MealParser {
        switch self {
        case .local:
            return { LocalMealParser(foods: $0) }
        case .gemini:
            guard let model else { preconditionFailure("BUG: no model to ask") }
            return {
                FallbackMealParser(
                    first: GeminiMealParser(model) { word in
                        logger.warning(
                            "the model failed; the meal is parsed without it",
                            metadata: ["error": "\(word)"])
                    }, local: LocalMealParser(foods: $0))
            }
        }
    }
}
