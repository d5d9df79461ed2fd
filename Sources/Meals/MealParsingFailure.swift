/// Why a sentence gives no items.
public enum MealParsingFailure: Error, Equatable {
    /// Nothing in it is a food.
    case nothingParsed
    /// A parser that needs another service did not get an answer from it.
    case unavailable

    /// The client's code for it.
    public var code: String {
        switch self {
        case .nothingParsed: "PARSING_FAILED"
        case .unavailable: "PARSER_UNAVAILABLE"
        }
    }

    /// For the person who wrote the sentence.
    public var message: String {
        switch self {
        case .nothingParsed: "Unable to parse food items from input"
        case .unavailable: "The parser can't be reached"
        }
    }

    /// What that person could write instead.
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
