import TextTables

/// A dish and the ingredients that a sentence lists. The two must not both count: "smoothie: 1
/// banana, 200 ml milk".
struct Recipe {
    /// The place of the dish among the drafts; its ingredients follow it.
    let head: Int
    let link: Atom.Link

    /// Lemmas of dishes that consist only of their ingredients.
    private static let mixtures = MealWords.current.dishes[.mixture]
    /// Lemmas of dishes with a part that lists of ingredients omit, such as the bread.
    private static let carriers = MealWords.current.dishes[.carrier]

    /// Whether the dish includes what it is made with: a cake, but not rice or oatmeal.
    func isWhole(_ dish: Draft) -> Bool {
        link == .made && !dish.words.contains { MealWords.current.dishes[.base].contains([$0]) }
    }

    /// Whether the listed ingredients are the whole dish, so that the dish itself must not count.
    func isListed(_ drafts: [Draft]) -> Bool {
        let all = drafts[(head + 1)...].filter { $0.food != nil }
        // "rice made with milk, a pear": what has an amount is no part beside parts without.
        let hasAmounts = all.first?.amount != nil
        let parts = all.prefix { hasAmounts || $0.amount == nil || link == .colon }
        let weighed = parts.filter { $0.amount?.certainty == .said || $0.amount?.unit != nil }.count
        let words = drafts[head].words
        switch link {
        case .with:
            guard words.last.map({ Self.mixtures.contains([$0]) }) == true else { return false }
            return parts.count >= 3 || weighed >= 2 && weighed == parts.count
        default:
            if weighed >= 2 { return true }
            // "apple - pear - plum" is a list without a dish.
            return parts.count >= 2 && drafts[head].food?.units.first?.name != "medium"
                && !words.contains(where: { Self.carriers.contains([$0]) })
        }
    }
}
