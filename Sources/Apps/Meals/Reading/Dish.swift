import TextTables

/// Decides which neighbouring foods are one dish and which are two.
///
/// In English the last word names the kind of dish: a "turkey avocado wrap" is a wrap. So a food is
/// merged into the next one if some name has words of both, or if the next one is a dish that is
/// named by its ingredients. A plural is not merged ("eggs toast"); it is a food of its own.
enum Dish {
    /// Lemmas of dishes that are named by their ingredients.
    private static let heads = MealWords.current.dishes[.head]
    /// Lemmas of dishes, each with the lemma of a part.
    private static let parts = MealWords.current.dishes[.part]
    /// The energy limit in kcal per 100 g for an ingredient that "salad" absorbs. A food with more
    /// energy lies on the salad and counts on its own.
    private static let leafEnergyMax = 60.0

    /// The number of words up to which names are searched by their words in any order.
    private static let wordsMax = 7

    /// The dishes in a run of atoms without links and amounts.
    static func dishes(of atoms: [Atom], lookup: FoodLookup) -> [Draft] {
        var dishes: [Draft] = []
        var modifiers: [String] = []
        var unknown: [String] = []
        for atom in atoms {
            switch atom {
            case .modifier(let word): modifiers.append(word)
            case .unknown(let word): unknown.append(word)
            case .amount, .link, .cue, .energy, .brand: break
            case .food(let name):
                var dish = Draft(
                    food: name.food, words: name.words, modifiers: modifiers, leftOver: unknown,
                    isPlural: name.isPlural, isMended: name.isMended, isStrange: !unknown.isEmpty)
                var isMerged = false
                while unknown.isEmpty, let last = dishes.last, !last.isPlural,
                    let merged = merged(last, dish, lookup: lookup)
                {
                    dishes.removeLast()
                    dish = merged
                    isMerged = true
                }
                if !isMerged {
                    dish = qualified(dish, with: [], lookup: lookup)
                    // "chocolate eggs" may be one food that no table has.
                    if let last = dishes.indices.last, !dishes[last].isPlural {
                        dishes[last].isGuess = true
                        dish.isGuess = true
                    }
                }
                dishes.append(dish)
                modifiers = []
                unknown = []
            }
        }
        if let last = dishes.popLast() {
            var last = qualified(last, with: modifiers, lookup: lookup)
            last.leftOver += unknown
            last.isStrange = last.isStrange || !unknown.isEmpty
            dishes.append(last)
        } else if !unknown.isEmpty {
            dishes.append(Draft(food: nil, words: modifiers + unknown))
        }
        return dishes
    }

    /// The dish that two neighbouring foods form; nil if they are two.
    private static func merged(_ left: Draft, _ right: Draft, lookup: FoodLookup) -> Draft? {
        let before = left.words + right.modifiers.map(Lemma.of)
        if let (food, used) = widest(
            optional: left.modifiers.map(Lemma.of) + before, fixed: right.words, lookup: lookup),
            used.contains(where: left.words.contains)
        {
            var dish = right
            dish.food = food
            dish.words = used + right.words
            dish.modifiers = (left.modifiers + right.modifiers).filter {
                !used.contains(Lemma.of($0))
            }
            dish.leftOver =
                left.leftOver + left.words.filter { !used.contains($0) } + right.leftOver
            dish.isMended = left.isMended || right.isMended
            return dish
        }
        if left.food == right.food {
            // "saltine crackers"
            var dish = right
            dish.modifiers = left.modifiers + right.modifiers
            return dish
        }
        let isLeaf = (left.food?.nutrients.energy ?? 0) < leafEnergyMax
        guard isMixed(right) || right.words.last == "salad" && isLeaf else { return nil }
        var dish = right
        dish.modifiers = left.modifiers + right.modifiers
        dish.leftOver = left.leftOver + left.words + right.leftOver
        return dish
    }

    /// Adds words on how a dish was made. If a name contains some of them, the dish becomes that
    /// food.
    static func qualified(_ dish: Draft, with later: [String], lookup: FoodLookup) -> Draft {
        var dish = dish
        dish.modifiers += later
        let optional = dish.modifiers.map(Lemma.of)
        guard
            let (food, used) = widest(optional: optional, fixed: dish.words, lookup: lookup)
        else { return dish }
        dish.food = food
        dish.words = used + dish.words
        dish.modifiers = dish.modifiers.filter { !used.contains(Lemma.of($0)) }
        return dish
    }

    /// Whether the dish is named by its ingredients.
    static func isMixed(_ dish: Draft) -> Bool {
        heads.contains(dish.words) || heads.contains(Array(dish.words.suffix(1)))
    }

    /// Whether a part is in a dish already: the dish's name or `dishes.tsv` says so.
    static func holds(_ dish: Draft, _ part: Draft) -> Bool {
        guard let food = dish.food, let other = part.food, other != food, let head = dish.words.last
        else { return false }
        let named = Set(dish.words + FoodIndex.lemmas(of: food.name))
        let words = part.words.filter { !Lexicon.preparations.contains($0) }
        // "cheddar" is a cheese.
        let kind = words.count == 1 ? FoodIndex.lemmas(of: other.name).last : words.last
        return named.isSuperset(of: words)
            || [words.last, kind].compactMap(\.self).contains { last in
                parts.contains([head, last]) || parts.contains(dish.words + [last])
            }
            || kind.map { $0 != head && named.contains($0) && words.count == 1 } == true
    }

    /// The food whose name consists of all words of `fixed` and as many of `optional` as possible,
    /// in any order. Among equals, the one whose optional words are nearest to the end wins.
    private static func widest(
        optional: [String], fixed: [String], lookup: FoodLookup
    ) -> (food: Food, used: [String])? {
        let optional = optional.suffix(max(0, wordsMax - fixed.count))
        guard !optional.isEmpty else { return nil }
        var best: (food: Food, used: [String])?
        for mask in 1..<(1 << optional.count) {
            let used = optional.enumerated().filter { mask & 1 << $0.offset != 0 }.map(\.element)
            guard used.count >= (best?.used.count ?? 1) else { continue }
            if let food = lookup.bag(used + fixed) { best = (food, used) }
        }
        return best
    }
}

extension ClauseReader {
    /// Begins a recipe at a colon, a parenthesis, "made with" or "with". It ends with the sentence.
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
        if let recipe, recipe.head < drafts.count {
            if recipe.isListed(drafts) {
                drafts.remove(at: recipe.head)
            } else {
                absorb(recipe)
            }
        }
        recipe = nil
    }

    /// Removes parts that a dish has already: "tuna salad with tuna", "a cake made with eggs". A
    /// number of them is the dish's: "frittata with 4 eggs".
    private mutating func absorb(_ recipe: Recipe) {
        for place in drafts.indices.reversed() where place > recipe.head {
            let (dish, part) = (drafts[recipe.head], drafts[place])
            var isPoured = false
            if case .household(let unit) = part.amount?.unit {
                isPoured = Measure.vessels[unit] != nil
            }
            guard part.addedTo != nil,
                recipe.isWhole(dish) || !isPoured && Dish.holds(dish, part)
            else { continue }
            if let amount = part.amount, amount.unit == nil, amount.certainty != .one,
                let unit = part.words.last, dish.food?.grams(of: unit) != nil
            {
                drafts[recipe.head].amount = Amount(
                    quantity: amount.quantity, certainty: amount.certainty,
                    unit: .household(unit))
            } else if part.amount?.unit?.isMeasured == true {
                // "greek salad with 50 g feta" has more feta than usual, or is only said exactly.
                drafts[recipe.head].isGuess = true
            }
            drafts.remove(at: place)
        }
    }
}
