/// Why a sentence was not parsed.
public enum MealParsingFailure: Error, Equatable {
    /// The sentence names no food.
    case nothingParsed
    /// The service that the parser needs did not answer, or its answer was not usable.
    case unavailable

    /// The error code for clients.
    public var code: String {
        switch self {
        case .nothingParsed: "PARSING_FAILED"
        case .unavailable: "PARSER_UNAVAILABLE"
        }
    }

    /// The error message for the person who wrote the sentence.
    public var message: String {
        switch self {
        case .nothingParsed: "Unable to parse food items from input"
        case .unavailable: "The parser can't be reached"
        }
    }

    /// Hints for that person on how to rewrite the sentence.
    public var suggestions: [String] {
        switch self {
        case .nothingParsed:
            [
                "Name each food, parted by commas: 2 eggs, 1 slice of toast",
                "Say how much: 150 g rice, 1 cup of milk",
                "Check the spelling, or add the food to your own foods",
            ]
        case .unavailable: ["Try again in a few minutes"]
        }
    }
}
