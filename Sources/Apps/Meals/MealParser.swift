/// Reads what was eaten from a sentence.
public protocol MealParser: Sendable {
    /// The items of a sentence.
    ///
    /// - Parameter own: The user's own foods, which win over everybody's.
    /// - Throws: `MealParsingFailure`; `.nothingParsed` is final, the rest may be tried again.
    func parse(_ text: String, own: FoodIndex?) async throws(MealParsingFailure) -> ParsedMeal
}

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

/// The parser that needs nothing but a table of foods: no network, no model, no clock.
///
/// Confidence of an item is the product of how well its name, its unit and its quantity are known;
/// `parsing_notes` says what had to be assumed. Cheap enough to be called on any thread: well below
/// a millisecond for a usual sentence.
public struct LocalMealParser: MealParser {
    private let foods: FoodIndex

    /// - Parameter foods: Everybody's.
    public init(foods: FoodIndex) {
        self.foods = foods
    }

    /// As the protocol says, at once.
    public func parse(
        _ text: String, own: FoodIndex? = nil
    ) throws(MealParsingFailure) -> ParsedMeal {
        let lookup = FoodLookup(own: own, everybody: foods)
        let tokens = Tokenizer.tokens(of: text, isName: { lookup.knows(Lemma.of($0)) })
        let spelt = Spelling(lookup).mend(tokens)
        let atoms = AtomReader.atoms(of: spelt.tokens, mended: spelt.mended, lookup: lookup)
        var reader = ClauseReader(lookup)
        reader.read(atoms)
        // Unknown words alone are no meal, unless somebody weighed them.
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
