/// Parses a sentence into the foods that were eaten.
public protocol MealParser: Sendable {
    /// The items of a sentence.
    ///
    /// - Parameter own: The user's own foods, which win over everybody's.
    /// - Throws: `MealParsingFailure`. `.nothingParsed` is final; `.unavailable` may be retried.
    func parse(_ text: String, own: FoodIndex?) async throws(MealParsingFailure) -> ParsedMeal
}

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

/// The parser that needs only a table of foods: no network, no model, no clock.
///
/// An item's confidence is the product of three confidences: of its name, its unit and its
/// quantity. `parsing_notes` lists the assumptions. A usual sentence takes well below a
/// millisecond, so the parser may be called on any thread.
public struct LocalMealParser: MealParser {
    private let foods: FoodIndex

    /// - Parameter foods: Everybody's foods.
    public init(foods: FoodIndex) {
        self.foods = foods
    }

    /// Parses synchronously; see ``MealParser/parse(_:own:)``.
    public func parse(
        _ text: String, own: FoodIndex? = nil
    ) throws(MealParsingFailure) -> ParsedMeal {
        let lookup = FoodLookup(own: own, everybody: foods)
        let tokens = Tokenizer.tokens(of: text, isName: { lookup.knows(Lemma.of($0)) })
        let spelt = Spelling(lookup).mend(tokens)
        let atoms = AtomReader.atoms(of: spelt.tokens, mended: spelt.mended, lookup: lookup)
        var reader = ClauseReader(lookup)
        reader.read(atoms)
        // Unknown words alone are not a meal, unless they have a measured amount or calories.
        let isMeal = reader.drafts.contains { draft in
            draft.food != nil || draft.amount?.unit?.isMeasured == true || draft.energy != nil
        }
        guard isMeal else { throw .nothingParsed }
        let items = reader.drafts.enumerated().map { place, draft in
            ItemWriter.item(of: draft, orderIndex: place)
        }
        return ParsedMeal(items: items, foods: reader.drafts.map(\.food))
    }
}
