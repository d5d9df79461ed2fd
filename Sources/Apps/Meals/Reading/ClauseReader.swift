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
        endSentence()
        drafts.removeLast(max(0, drafts.count - Meals.itemsMax))
    }

    private mutating func read(_ clause: Clause) {
        // "a quick lunch: rice"; "2. Then rice"
        if clause.link == .stop || clause.link == .colon { carried = (nil, []) }
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
        if amount == nil {
            amount = carried.amount
            atoms.insert(contentsOf: carried.modifiers.map(Atom.modifier), at: 0)
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
            // "made with water", "whisky with water": such water is part of the food or has no
            // energy.
            if dish.food?.type == .water, clause.link == .with || clause.link == .made,
                host != nil, dish.amount == nil
            {
                continue
            }
            drafts.append(dish)
        }
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

/// An item before its amount is converted to grams.
struct Draft: Sendable, Equatable {
    /// Nil if no table has the food.
    var food: Food?
    /// The lemmas of the name that matched; for an unknown food the words as written.
    var words: [String]
    /// Words that say how it was made.
    var modifiers: [String] = []
    /// Words beside the name that are unknown or that are in no name together with it.
    var leftOver: [String] = []
    var isPlural = false
    var isMended = false
    /// The name has a word beside it that nobody knows.
    var isStrange = false
    /// The similarity of the name if it was found by trigrams; otherwise nil.
    var similarity: Double?
    var amount: Amount?
    /// The type of the food that it was added to; nil if it was not added to any.
    var addedTo: FoodType?
    /// Ingredients that the sentence excludes.
    var without: [Draft] = []
    /// The part that was eaten, if the food was shared or not finished.
    var share: Share?
    /// The kilocalories that the sentence gives.
    var energy: Atom.Energy?
    /// The number of its sentence, from 0.
    var sentence = 0
    /// Bought or made. A later clause may still say that it was not eaten.
    var isAcquired = false
    /// The sentence names only the brand.
    var isImplied = false

    /// The part of a draft that was eaten.
    struct Share: Sendable, Equatable {
        /// From 0 to 1.
        var part: Double
        /// The sentence gives the part ("ate half of it"); otherwise it is estimated ("shared with
        /// Ann").
        var isSaid: Bool
    }
}
