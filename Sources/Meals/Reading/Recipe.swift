/// A dish and what a sentence lists of it, which must not count twice: "smoothie: 1 banana, 200 ml
/// milk".
struct Recipe {
    /// Place of the dish among the drafts; what it was made of stands behind it.
    let head: Int
    let link: Atom.Link

    /// Dishes that are no more than what goes into them.
    private static let mixtures: Set<String> = [
        "smoothy", "shake", "milkshake", "bowl", "oatmeal", "porridge", "oat", "juice", "lassi",
    ]
    /// Dishes that have something of their own, which lists leave out.
    private static let carriers: Set<String> = [
        "sandwich", "wrap", "burger", "hamburger", "cheeseburger", "pizza", "pasta", "toast",
        "bagel",
        "burrito", "taco", "quesadilla", "sub", "tortilla", "pita", "croissant", "bun", "roll",
        "omelette", "coffee", "tea", "latte", "pancake", "waffle", "ramen", "noodle",
    ]

    /// Whether the dish is only what was listed.
    func isListed(_ drafts: [Draft]) -> Bool {
        let parts = drafts[(head + 1)...].filter { $0.food != nil }
        let weighed = parts.filter { $0.amount?.certainty == .said || $0.amount?.unit != nil }.count
        let words = drafts[head].words
        switch link {
        case .with:
            guard words.last.map(Self.mixtures.contains) == true else { return false }
            return parts.count >= 3 || weighed >= 2 && weighed == parts.count
        default:
            if weighed >= 2 { return true }
            return parts.count >= 2 && !words.contains(where: Self.carriers.contains)
        }
    }
}

extension ClauseReader {
    /// Begins a recipe at a colon, a parenthesis, "made with" and "with", and ends one with its list.
    mutating func followRecipe(_ clause: Clause) {
        if clause.link == .stop { endSentence() }
        guard recipe == nil, !clause.isNegated, !clause.isAside, clause.hasFood,
            [.colon, .open, .made, .with].contains(clause.link), let head = drafts.last,
            head.food != nil, head.sentence == clause.sentence, !head.isImplied,
            // "oatmeal made with water"
            clause.atoms.contains(where: {
                if case .food(let name) = $0 { name.food.type != .water } else { false }
            })
        else { return }
        recipe = Recipe(head: drafts.count - 1, link: clause.link)
    }

    mutating func endSentence() {
        if let (energy, from) = listEnergy {
            listEnergy = nil
            spread(energy, over: Array(from..<max(from, drafts.count)))
        }
        if let recipe, recipe.head < drafts.count, recipe.isListed(drafts) {
            drafts.remove(at: recipe.head)
        }
        recipe = nil
    }
}
