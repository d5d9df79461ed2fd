/// The part of a sentence between two breaks, and whether it was eaten.
struct Clause {
    /// Whether a statement's foods were eaten.
    enum Stance: Sendable {
        case eaten
        /// Bought or made; counts as eaten unless a later clause says otherwise.
        case acquired
        case uneaten
    }

    /// Whether a part that the clause gives was eaten or left.
    enum Part: Sendable {
        case eaten
        case left
    }

    var link: Atom.Link
    /// The clause's atoms, without links and cues.
    var atoms: [Atom] = []
    /// After "no", "without".
    var isNegated = false
    /// After "at", "from".
    var isAside = false
    /// After "with", until the end of the sentence.
    var isAdded = false
    var stance = Stance.eaten
    /// The number of its sentence, from 0.
    var sentence = 0
    /// "actually", "sorry": replaces the last statement.
    var isCorrection = false
    /// "ok, two": corrects only the same food.
    var isHesitation = false
    /// "but didn't try any": the foods before it were not eaten.
    var cancels = false
    /// "but had a salad": replaces the food that was bought or made.
    var overrides = false
    /// "ate half of it", "left half"
    var part: Part?
    /// "didn't finish it"
    var isUnfinished = false
    /// Other people ate some of it.
    var isShared = false
    /// The clause's calories, and whether they follow a food.
    var energy: Atom.Energy?
    var isEnergyBehind = false

    init(link: Atom.Link) {
        self.link = link
    }

    /// Whether the clause has no effect.
    var isEmpty: Bool {
        atoms.isEmpty && energy == nil && !cancels && !isUnfinished && !isShared
    }

    var hasFood: Bool {
        atoms.contains { if case .food = $0 { true } else { false } }
    }

    /// Whether amounts follow their foods: "rice 150 g", not "150 g rice".
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

    /// The atoms between amounts, each run with its amount.
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
