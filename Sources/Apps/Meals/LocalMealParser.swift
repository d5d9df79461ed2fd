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
