/// Clauses about foods that came before: not eaten after all, eaten in part, in another amount, or
/// with so many calories.
extension ClauseReader {
    /// Applies a clause about food that was not eaten: "left the crust", "didn't try any", "left
    /// half".
    mutating func leave(_ clause: Clause) {
        if clause.cancels {
            remove { $0.sentence == clause.sentence }
            return
        }
        for run in clause.runs {
            let foods = run.atoms.compactMap { atom -> Food? in
                if case .food(let name) = atom { name.food } else { nil }
            }
            if foods.isEmpty, let amount = run.amount, amount.isFraction, clause.part == .left {
                take(part: 1 - amount.quantity, isSaid: amount.certainty == .said, in: clause)
            }
            let part = run.amount.flatMap { $0.isFraction && $0.unit == nil ? $0.quantity : nil }
            for food in foods {
                guard
                    let place = drafts.lastIndex(where: {
                        $0.sentence == clause.sentence && $0.food == food
                    })
                else {
                    // "left a third of my 300 g risotto"
                    if clause.part == .left, var eaten = run.amount, let part = eaten.part {
                        eaten.quantity *= 1 / part - 1
                        read(run.atoms, amount: eaten, in: clause)
                    }
                    break
                }
                if let part {
                    drafts[place].share = Draft.Share(part: 1 - part, isSaid: true)
                } else {
                    remove { $0.sentence == clause.sentence && $0.food == food }
                }
            }
        }
    }

    /// Applies "didn't finish the fries", or "didn't finish" to what came before.
    mutating func leaveSome(_ clause: Clause, first: Int) {
        guard drafts.count > first else {
            take(part: Self.unfinished, isSaid: false, in: clause)
            return
        }
        let new = drafts[first]
        if let place = drafts[..<first].lastIndex(where: { $0.food == new.food }) {
            drafts.remove(at: first)
            drafts[place].share = Draft.Share(part: Self.unfinished, isSaid: false)
        } else {
            drafts[first].share = Draft.Share(part: Self.unfinished, isSaid: false)
        }
    }

    /// The part that counts as eaten of a food that was not finished.
    private static let unfinished = 0.7

    /// Applies an amount to the last food: a part of it, one more of it, or the weight of its bag.
    /// Returns false if the amount belongs to another food.
    mutating func take(_ amount: Amount, in clause: Clause, first: Int) -> Bool {
        guard let last = drafts.last, drafts.count == first || amount.isMore else { return false }
        if amount.isMore {
            drafts[drafts.count - 1].amount =
                last.amount ?? Amount(quantity: 1, certainty: .one)
            drafts[drafts.count - 1].amount?.quantity += amount.quantity
            return true
        }
        if clause.isCorrection {
            var amount = amount
            amount.unit = amount.unit ?? last.amount?.unit
            drafts[drafts.count - 1].amount = amount
            return true
        }
        if case .mass(let grams, _) = amount.unit, let vessel = amount.vessel,
            let place = drafts.lastIndex(where: { $0.amount?.unit == .household(vessel) })
        {
            drafts[place].amount?.unit = .mass(
                grams: grams * amount.quantity, label: "\(vessel) of \(Int(amount.quantity)) g")
            return true
        }
        guard clause.part == .eaten, last.sentence == clause.sentence else { return false }
        if amount.isFraction, amount.unit == nil {
            take(part: amount.quantity, isSaid: amount.certainty == .said, in: clause)
        } else {
            // "tacos with cheese, 3 of them"
            let dish = drafts.lastIndex { $0.addedTo == nil } ?? drafts.count - 1
            drafts[dish].amount = amount
            drafts[dish].share = nil
        }
        return true
    }

    /// Applies a part to the sentence's shared foods, or to the last food if none is shared.
    mutating func take(part: Double, isSaid: Bool, in clause: Clause) {
        let share = Draft.Share(part: part, isSaid: isSaid)
        let shared = drafts.indices.filter {
            drafts[$0].share != nil && drafts[$0].sentence == clause.sentence
        }
        for place in shared { drafts[place].share = share }
        guard shared.isEmpty else { return }
        let last = drafts.lastIndex { $0.food != nil } ?? drafts.indices.last
        if let last { drafts[last].share = share }
    }

    /// Divides foods by the number of people: "shared a pizza with Ann", "nachos, split between
    /// three".
    mutating func share(_ clause: Clause, first: Int) {
        let people = clause.runs.lazy.filter { run in
            !run.atoms.contains { if case .food = $0 { true } else { false } }
        }.compactMap(\.amount).first { $0.certainty == .said && $0.unit == nil && !$0.isFraction }
        let others = people.map { clause.link == .with ? $0.quantity : $0.quantity - 1 } ?? 1
        let share = Draft.Share(part: 1 / (max(1, others) + 1), isSaid: people != nil)
        if drafts.count > first {
            for place in first..<drafts.count { drafts[place].share = share }
        } else if let last = drafts.last, last.sentence == clause.sentence,
            people != nil || last.share == nil && last.amount?.isFraction != true
        {
            take(part: share.part, isSaid: share.isSaid, in: clause)
        }
    }

    /// Replaces the draft that a clause corrects: the one with the same food, or else the last one.
    mutating func correct(_ clause: Clause, first: Int) {
        guard first > 0 else { return }
        guard drafts.count > first else { return }
        let new = drafts[first]
        let same = drafts[..<first].lastIndex { $0.food == new.food && new.food != nil }
        guard let place = same ?? (clause.isCorrection ? first - 1 : nil) else { return }
        drafts.remove(at: first)
        drafts[place] = new
        recipe = nil
    }

    // MARK: Calories

    /// Gives a clause's calories to the food beside them. After several foods, the calories go to
    /// all of them if the sum of the estimates is nearer to the figure.
    mutating func give(_ clause: Clause, first: Int) {
        guard let energy = clause.energy ?? (drafts.count > first ? carriedEnergy : nil) else {
            return
        }
        if clause.energy == nil || drafts.count > first, !clause.isEnergyBehind {
            carriedEnergy = nil
            if clause.energy == nil, clause.link == .colon {
                listEnergy = (energy, first)
                return
            }
            drafts[min(first, drafts.count - 1)].energy = energy
            return
        }
        let said = drafts.indices.filter { drafts[$0].sentence == clause.sentence }
        guard let last = said.last else {
            carriedEnergy = energy
            return
        }
        let estimates = said.map { ItemWriter.estimate(of: drafts[$0]) }
        let sum = estimates.reduce(0, +)
        func distance(_ estimate: Double) -> Double {
            max(estimate, 1) > energy.kilocalories
                ? max(estimate, 1) / max(energy.kilocalories, 1)
                : energy.kilocalories / max(estimate, 1)
        }
        let isOfAll =
            energy.isTotal
            || said.count > 1 && !energy.isEach
                && distance(sum) * 1.5 < distance(estimates.last ?? 0)
        if isOfAll {
            spread(energy, over: said)
        } else {
            drafts[last].energy = energy
        }
    }

    /// Divides calories among foods in proportion to the table's estimates.
    mutating func spread(_ energy: Atom.Energy, over places: [Int]) {
        let estimates = places.map { ItemWriter.estimate(of: drafts[$0]) }
        let sum = estimates.reduce(0, +)
        for (place, estimate) in zip(places, estimates) where sum > 0 {
            var part = energy
            part.kilocalories *= estimate / sum
            part.isEach = false
            drafts[place].energy = part
        }
    }
}
