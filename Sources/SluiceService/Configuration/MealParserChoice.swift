import Gemini
import Logging
import Meals

/// What reads meals that are written in words.
public enum MealParserChoice: String, CaseIterable, Sendable {
    /// This machine, from the table of foods.
    case local
    /// A model, and this machine where that has no answer.
    case gemini

    /// What a client is told that it takes.
    var estimatedSeconds: Int {
        switch self {
        case .local: 1
        case .gemini: GeminiMealParser.estimatedSeconds
        }
    }

    /// Makes the parser, for the foods that there are at the time.
    ///
    /// - Parameters:
    ///   - model: must be there for ``gemini``.
    ///   - logger: is told of each meal that the model had no usable answer for.
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
                            "the model failed; the meal is read without it",
                            metadata: ["error": "\(word)"])
                    }, local: LocalMealParser(foods: $0))
            }
        }
    }
}
