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
