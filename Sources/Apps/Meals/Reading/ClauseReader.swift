/// Turns clauses into drafts: assigns amounts to foods and joins words that form one dish.
struct ClauseReader {
    let lookup: FoodLookup
    var drafts: [Draft] = []
    /// The type of the food that the last "with" adds to.
    private var host: FoodType?
    private var hostPlace: Int?
    /// The amount and modifiers that a break separates from their food: "200 g of lean, grilled
    /// chicken".
    private var carried: (amount: Amount?, modifiers: [String]) = (nil, [])
    var carriedEnergy: Atom.Energy?
    /// The calories of a whole list, and the place of the list's first draft.
    var listEnergy: (energy: Atom.Energy, from: Int)?
    var recipe: Recipe?
    private var searches = 0

    /// Trigram searches in one text. Unknown foods beyond this limit stay unknown.
    static let searchesMax = 16
    /// The least similarity at which a name is accepted for an unknown food.
    static let similarityMin = 0.6

    init(_ lookup: FoodLookup) {
        self.lookup = lookup
    }

    mutating func read(_ atoms: [Atom]) {
        for clause in ClauseCutter.clauses(of: atoms) where drafts.count < Meals.itemsMax {
            read(clause)
        }
        dropCarried()
        endSentence()
        drafts.removeLast(max(0, drafts.count - Meals.itemsMax))
    }

    /// No food follows the amount: "3 pepperoni sticks", "2 eggs and 2 rashers".
    private mutating func dropCarried() {
        if carried.amount?.unit != nil, let last = drafts.indices.last {
            drafts[last].isGuess = true
        }
        carried = (nil, [])
    }

    private mutating func read(_ clause: Clause) {
        // "a quick lunch: rice"; "2. Then rice"
        if clause.link == .stop || clause.link == .colon { dropCarried() }
        if clause.link == .with || clause.link == .made || !clause.isAdded {
            host = clause.isAdded ? drafts.last?.food?.type : nil
            hostPlace = clause.isAdded && !drafts.isEmpty ? drafts.count - 1 : nil
        }
        if clause.stance == .uneaten {
            leave(clause)
            return
        }
        if clause.overrides, clause.hasFood {
            remove { $0.isAcquired && $0.sentence == clause.sentence }
        }
        followRecipe(clause)
        let first = drafts.count
        for (place, run) in clause.runs.enumerated() { read(run, place, in: clause, first: first) }
        // An unknown word may be about the food beside it.
        if first < drafts.count, drafts[first...].contains(where: { $0.food == nil }) {
            for place in first..<drafts.count { drafts[place].isGuess = true }
        }
        imply(clause, first: first)
        if clause.isCorrection || clause.isHesitation { correct(clause, first: first) }
        if clause.isShared { share(clause, first: first) }
        if clause.isUnfinished { leaveSome(clause, first: first) }
        give(clause, first: first)
    }

    private mutating func read(
        _ run: (amount: Amount?, atoms: [Atom]), _ place: Int, in clause: Clause, first: Int
    ) {
        let hasName = run.atoms.contains {
            switch $0 {
            case .food: true
            case .unknown: !clause.isAside && !(clause.isShared && clause.link == .with)
            default: false
            }
        }
        let modifiers = run.atoms.compactMap { atom -> String? in
            if case .modifier(let word) = atom { word } else { nil }
        }
        if hasName {
            read(run.atoms, amount: run.amount, in: clause)
        } else if let amount = run.amount, amount.quantity > 0 {
            if clause.isAside || clause.isNegated || clause.isShared && place > 0 { return }
            put(amount, modifiers, isFirst: place == 0, in: clause, first: first)
        } else if !modifiers.isEmpty, !clause.isNegated, !clause.isAside {
            qualify(modifiers)
        }
    }

    /// Assigns an amount without a food after it: to the food before it, or to the next one.
    private mutating func put(
        _ amount: Amount, _ modifiers: [String], isFirst: Bool, in clause: Clause, first: Int
    ) {
        if take(amount, in: clause, first: first) { return }
        if drafts.count == first, let last = drafts.last, last.isImplied, last.amount == nil,
            last.sentence == clause.sentence
        {
            drafts[drafts.count - 1].amount = amount
            return
        }
        if drafts.count > first, Self.names(amount, unitOf: &drafts[drafts.count - 1]) { return }
        let isWeighed = !modifiers.isEmpty && modifiers.allSatisfy(Self.weighed.contains)
        let isAlone = isFirst && (modifiers.isEmpty || isWeighed)
        if let hostPlace, clause.isAdded, isAlone, drafts.count == first,
            hostPlace < first - 1 || first > 0 && drafts[first - 1].addedTo != nil,
            hostPlace < drafts.count, drafts[hostPlace].amount == nil, drafts.last?.amount == nil,
            [.comma, .open].contains(clause.link)
        {
            // "cod with lemon, 180 g": an ingredient is seldom weighed, so the amount is the
            // host's.
            drafts[hostPlace].amount = amount
        } else if mayFollow(amount, isAlone: isAlone, clause: clause, first: first) {
            var amount = amount
            if amount.isEach { amount.quantity *= drafts.last?.amount?.quantity ?? 1 }
            drafts[drafts.count - 1].amount = amount
            if isWeighed { qualify(modifiers) }
        } else {
            carried = (amount, modifiers)
        }
    }

    /// States in which food is weighed: "100 g dry weight".
    private static let weighed: Set<String> = ["dry", "raw", "cooked", "uncooked", "drained"]

    /// Assigns a unit that follows its food: "2 pizza slices", "rice bowl".
    private static func names(_ amount: Amount, unitOf draft: inout Draft) -> Bool {
        guard amount.certainty != .said, case .household(let unit) = amount.unit,
            let grams = draft.food?.grams(of: unit)
        else { return false }
        if draft.amount == nil {
            // "cucumber slices" usually means more than two, so small units are left out.
            if amount.certainty == .one || grams >= 20 { draft.amount = amount }
        } else if draft.amount?.unit == nil {
            draft.amount?.unit = amount.unit
        }
        return true
    }

    /// Whether an amount without a food after it belongs to the food before it.
    private func mayFollow(
        _ amount: Amount, isAlone: Bool, clause: Clause, first: Int
    ) -> Bool {
        guard let last = drafts.last else { return false }
        // "Edamame, one small bowl", "Pho, large"
        guard amount.certainty != .one || last.amount == nil && isAlone && clause.link == .comma
        else { return false }
        let isOpen = last.amount == nil || last.amount?.certainty == .one
        if drafts.count > first { return isOpen && amount.certainty != .one }
        guard isAlone else { return false }
        let isMeasured = amount.unit?.isMeasured == true
        switch clause.link {
        case .open: return isOpen || isMeasured
        case .colon, .comma: return isOpen || isMeasured && last.amount?.unit?.isMeasured != true
        default: return false
        }
    }

    /// Adds modifiers that follow a break to the last food: "chicken, grilled".
    private mutating func qualify(_ modifiers: [String]) {
        guard var last = drafts.popLast() else {
            carried.modifiers += modifiers
            return
        }
        last = Dish.qualified(last, with: modifiers, lookup: lookup)
        drafts.append(last)
    }

    mutating func read(_ atoms: [Atom], amount: Amount?, in clause: Clause) {
        var atoms = atoms
        var amount = amount
        var isOneLost = false
        if amount == nil {
            amount = carried.amount
            atoms.insert(contentsOf: carried.modifiers.map(Atom.modifier), at: 0)
        } else if amount?.certainty != .said, var number = carried.amount, number.unit == nil {
            // "half a thick, buttered slice of bread"
            number.unit = amount?.unit
            number.size = number.size ?? amount?.size
            amount = number
        } else {
            // "two bites of a 200 g burger"
            isOneLost = carried.amount != nil && amount?.unit != nil
        }
        carried = (nil, [])
        // "0 sugars" means no sugar.
        let isNegated = clause.isNegated || amount?.quantity == 0
        var dishes = Dish.dishes(of: atoms, lookup: lookup)
        if isNegated {
            guard !dishes.isEmpty else { return }
            let absent = dishes.removeFirst()
            if clause.isCorrection { remove { $0.food == absent.food } }
            if !drafts.isEmpty {
                drafts[drafts.count - 1].without.append(absent)
            }
            amount = nil
        }
        for (place, dish) in dishes.enumerated() {
            var dish = dish
            if dish.food == nil {
                guard !clause.isAside else { continue }
                search(&dish)
            }
            dish.amount = place == 0 ? amount : nil
            dish.addedTo = clause.isAdded ? host : nil
            dish.sentence = clause.sentence
            dish.isAcquired = clause.stance == .acquired
            dish.isGuess = dish.isGuess || isOneLost
            // "made with water", "whisky with water": such water is part of the food or has no
            // energy.
            if dish.food?.type == .water, clause.link == .with || clause.link == .made,
                host != nil, dish.amount == nil
            {
                continue
            }
            if !clause.isCorrection, !clause.isHesitation, isAmountOfEarlier(dish, in: clause) {
                continue
            }
            if clause.link == .and, Dish.isMixed(dish), dish.amount == nil { doubtParts(of: &dish) }
            drafts.append(dish)
        }
    }

    /// "2 cheese and onion pasties" may be one dish that no table has: then the amount before "and"
    /// is the dish's.
    private mutating func doubtParts(of dish: inout Draft) {
        let last = drafts.lastIndex { $0.amount != nil }
        guard let last, drafts[last].sentence == dish.sentence, !drafts[last].isPlural,
            drafts[last].food?.type == .food
        else { return }
        drafts[last].isGuess = true
        dish.isGuess = true
    }

    /// Gives the amount of a food that is named again to the first of the two: "toast with butter
    /// (10 g butter)", "scrambled eggs, 2 eggs", "an apple (a small apple)".
    private mutating func isAmountOfEarlier(_ dish: Draft, in clause: Clause) -> Bool {
        guard let amount = dish.amount, let food = dish.food else { return false }
        for place in drafts.indices.reversed() where drafts[place].sentence == dish.sentence {
            let isLast = place == drafts.count - 1 && [.comma, .open, .colon].contains(clause.link)
            let isOpen =
                drafts[place].amount == nil && (isLast || amount.certainty != .one)
                || isLast && clause.link == .open && drafts[place].amount?.certainty == .one
            guard isOpen else { continue }
            if drafts[place].food == food {
                drafts[place].amount = amount
                return true
            }
            guard isLast else { continue }
            if amount.unit == nil, dish.words.count == 1, amount.certainty != .one,
                drafts[place].food?.grams(of: dish.words[0]) != nil
            {
                drafts[place].amount = amount
                drafts[place].amount?.unit = .household(dish.words[0])
                return true
            }
            // "beans, 200 g of baked beans"
            if amount.unit?.isMeasured == true, drafts[place].words == Array(dish.words.suffix(1)) {
                drafts[place] = dish
                return true
            }
        }
        return false
    }

    /// Searches for the name that is most similar to an unknown one.
    private mutating func search(_ dish: inout Draft) {
        guard searches < Self.searchesMax else { return }
        searches += 1
        let text = dish.words.joined(separator: " ")
        guard let found = lookup.similar(to: text, atLeast: Self.similarityMin) else { return }
        dish.food = found.food
        dish.similarity = found.similarity
    }

    /// Adds the food that a brand stands for, if the clause names no food: "a Lean Cuisine",
    /// "footlong from Subway".
    private mutating func imply(_ clause: Clause, first: Int) {
        if drafts.count > first {
            // "KFC: two wings" is one food, so the one that the brand stands for is removed.
            if first > 0, drafts[first - 1].isImplied, drafts[first - 1].amount == nil,
                drafts[first - 1].sentence == clause.sentence, drafts[first].food != nil
            {
                drafts.remove(at: first - 1)
                recipe = nil
            }
            return
        }
        let brands = clause.atoms.compactMap { atom -> Brand? in
            if case .brand(let brand) = atom { brand } else { nil }
        }
        guard let name = brands.lazy.compactMap(\.food).first,
            let food = lookup.longest(name.split(separator: " ").map { Lemma.of(String($0)) })?.food
        else { return }
        if clause.isAside, carried.amount == nil { return }
        if clause.isAside, drafts.contains(where: { $0.sentence == clause.sentence }) { return }
        var draft = Draft(food: food, words: [])
        draft.amount = carried.amount
        draft.sentence = clause.sentence
        draft.isImplied = true
        carried = (nil, [])
        drafts.append(draft)
    }

    mutating func remove(where isGone: (Draft) -> Bool) {
        drafts.removeAll(where: isGone)
        recipe = nil
        hostPlace = nil
    }
}
