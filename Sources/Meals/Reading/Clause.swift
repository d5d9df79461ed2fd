/// What stands between two breaks of a sentence, and whether it was eaten.
struct Clause {
    /// What a statement says of its foods.
    enum Stance: Sendable {
        case eaten
        /// Bought or made, and eaten if nothing says otherwise.
        case acquired
        case uneaten
    }

    /// How it says that a part of what came before was eaten.
    enum Part: Sendable {
        case eaten
        case left
    }

    var link: Atom.Link
    /// No links and no cues among them.
    var atoms: [Atom] = []
    /// After "no", "without".
    var isNegated = false
    /// After "at", "from".
    var isAside = false
    /// After "with", on to the end of the sentence.
    var isAdded = false
    var stance = Stance.eaten
    /// Which sentence it is of, from 0.
    var sentence = 0
    /// "actually", "sorry": takes the place of what was said last.
    var isCorrection = false
    /// "ok, two": only of the same food.
    var isHesitation = false
    /// "but didn't try any": what came before was not eaten.
    var cancels = false
    /// "but had a salad": instead of what was bought or made.
    var overrides = false
    /// "ate half of it", "left half"
    var part: Part?
    /// "didn't finish it"
    var isUnfinished = false
    /// Others ate of it.
    var isShared = false
    /// Calories that stand in it, and whether they stand behind a food.
    var energy: Atom.Energy?
    var isEnergyBehind = false

    init(link: Atom.Link) {
        self.link = link
    }

    /// Whether it says anything.
    var isEmpty: Bool {
        atoms.isEmpty && energy == nil && !cancels && !isUnfinished && !isShared
    }

    var hasFood: Bool {
        atoms.contains { if case .food = $0 { true } else { false } }
    }

    /// Amounts stand after their foods: "rice 150 g" and not "150 g rice".
    var isPostfix: Bool {
        guard case .amount(let amount) = atoms.last, amount.certainty != .one else { return false }
        for atom in atoms {
            switch atom {
            case .food, .unknown: return true
            case .amount: return false
            case .modifier, .link, .cue, .energy, .brand: continue
            }
        }
        return false
    }

    /// The atoms between amounts, each with its amount.
    var runs: [(amount: Amount?, atoms: [Atom])] {
        var runs: [(amount: Amount?, atoms: [Atom])] = []
        var run: [Atom] = []
        var amount: Amount?
        let isPostfix = isPostfix
        for atom in atoms {
            guard case .amount(let next) = atom else {
                run.append(atom)
                continue
            }
            if isPostfix {
                if next.certainty == .one, !run.isEmpty { continue }
                runs.append((next, run))
            } else {
                if amount != nil || !run.isEmpty { runs.append((amount, run)) }
                amount = next
            }
            run = []
        }
        if amount != nil || !run.isEmpty { runs.append((amount, run)) }
        return runs
    }
}
