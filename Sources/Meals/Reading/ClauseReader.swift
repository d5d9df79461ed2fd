/// Atoms to drafts: amounts find their food, words that belong together become one dish.
struct ClauseReader {
    private let lookup: FoodLookup
    private(set) var drafts: [Draft] = []
    /// What the last "with" was added to.
    private var host: FoodType?
    /// Amount and modifiers that a comma parts from their food: "200 g of lean, grilled chicken".
    private var carried: (amount: Amount?, modifiers: [String]) = (nil, [])
    private var searches = 0

    /// A sentence's searches by trigram; further unknown foods stay unknown.
    static let searchesMax = 16
    /// How like a name must be to be taken for it.
    static let similarityMin = 0.6

    init(_ lookup: FoodLookup) {
        self.lookup = lookup
    }

    mutating func read(_ atoms: [Atom]) {
        for clause in Clause.cut(atoms) where drafts.count < Meals.itemsMax {
            read(clause)
        }
        drafts.removeLast(max(0, drafts.count - Meals.itemsMax))
    }

    private mutating func read(_ clause: Clause) {
        // "a quick lunch: rice"; "2. Then rice"
        if clause.link == .stop || clause.link == .colon { carried = (nil, []) }
        if clause.link == .with || !clause.isAdded {
            host = clause.isAdded ? drafts.last?.food?.type : nil
        }
        let first = drafts.count
        for (place, run) in clause.runs.enumerated() {
            let hasName = run.atoms.contains {
                switch $0 {
                case .food: true
                case .unknown: !clause.isAside
                default: false
                }
            }
            let modifiers = run.atoms.compactMap { atom -> String? in
                if case .modifier(let word) = atom { word } else { nil }
            }
            if hasName {
                read(run.atoms, amount: run.amount, in: clause)
            } else if let amount = run.amount, amount.quantity > 0 {
                if clause.isAside || clause.isNegated { continue }
                let isAlone = place == 0 && modifiers.isEmpty
                if drafts.count > first, Self.names(amount, unitOf: &drafts[drafts.count - 1]) {
                    continue
                }
                if mayFollow(amount, isAlone: isAlone, clause: clause, first: first) {
                    drafts[drafts.count - 1].amount = amount
                } else {
                    carried = (amount, modifiers)
                }
            } else if !modifiers.isEmpty, !clause.isNegated, !clause.isAside {
                qualify(modifiers)
            }
        }
    }

    /// Puts a unit that stands after its food where it belongs: "2 pizza slices", "rice bowl".
    private static func names(_ amount: Amount, unitOf draft: inout Draft) -> Bool {
        guard amount.certainty != .said, case .household(let unit) = amount.unit,
            let grams = draft.food?.grams(of: unit)
        else { return false }
        if draft.amount == nil {
            // "cucumber slices" are more than two.
            if amount.certainty == .one || grams >= 20 { draft.amount = amount }
        } else if draft.amount?.unit == nil {
            draft.amount?.unit = amount.unit
        }
        return true
    }

    /// Whether an amount without a food after it is that of the food before it.
    private func mayFollow(
        _ amount: Amount, isAlone: Bool, clause: Clause, first: Int
    ) -> Bool {
        guard let last = drafts.last, amount.certainty != .one else { return false }
        let isOpen = last.amount == nil || last.amount?.certainty == .one
        if drafts.count > first { return isOpen }
        guard isAlone else { return false }
        switch clause.link {
        case .open: return isOpen || amount.unit?.isMeasured == true
        case .colon, .comma: return isOpen
        default: return false
        }
    }

    /// Words on how the last food was made that come after a break: "chicken, grilled".
    private mutating func qualify(_ modifiers: [String]) {
        guard var last = drafts.popLast() else {
            carried.modifiers += modifiers
            return
        }
        last = Dish.qualified(last, with: modifiers, lookup: lookup)
        drafts.append(last)
    }

    private mutating func read(_ atoms: [Atom], amount: Amount?, in clause: Clause) {
        var atoms = atoms
        var amount = amount
        if amount == nil {
            amount = carried.amount
            atoms.insert(contentsOf: carried.modifiers.map(Atom.modifier), at: 0)
        }
        carried = (nil, [])
        // "0 sugars" is none.
        let isNegated = clause.isNegated || amount?.quantity == 0
        var dishes = Dish.dishes(of: atoms, lookup: lookup)
        if isNegated {
            guard !dishes.isEmpty else { return }
            let absent = dishes.removeFirst()
            if !drafts.isEmpty {
                drafts[drafts.count - 1].without.append(absent.words.joined(separator: " "))
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
            // "made with water", "whisky with water": in it already, or nothing.
            if dish.food?.type == .water, clause.link == .with, host != nil, dish.amount == nil {
                continue
            }
            drafts.append(dish)
        }
    }

    /// Looks for the name that is most like an unknown one.
    private mutating func search(_ dish: inout Draft) {
        guard searches < Self.searchesMax else { return }
        searches += 1
        let text = dish.words.joined(separator: " ")
        guard let found = lookup.similar(to: text, atLeast: Self.similarityMin) else { return }
        dish.food = found.food
        dish.similarity = found.similarity
    }
}
