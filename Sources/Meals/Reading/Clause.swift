/// What stands between two breaks of a sentence.
struct Clause {
    var link: Atom.Link
    /// No links among them.
    var atoms: [Atom] = []
    /// After "no", "without".
    var isNegated = false
    /// After "at", "from".
    var isAside = false
    /// After "with", on to the end of the sentence.
    var isAdded = false

    /// Cuts at the links; clauses without atoms go, their link stays where the next has none.
    static func cut(_ atoms: [Atom]) -> [Self] {
        var clauses: [Self] = []
        var clause = Self(link: .stop)
        for atom in atoms {
            guard case .link(let link) = atom else {
                clause.atoms.append(atom)
                continue
            }
            var next = Self(link: link)
            switch link {
            case .stop: break
            case .comma, .open, .colon, .and:
                next.isAdded = clause.isAdded
                // "no milk, sugar": the comma ends it; "with no milk" it has only begun.
                next.isNegated = clause.atoms.isEmpty && clause.isNegated
            case .with:
                next.isAdded = true
                next.isNegated = clause.atoms.isEmpty && clause.isNegated
            case .or:
                next.isAdded = clause.isAdded
                next.isNegated = clause.isNegated
            case .without:
                next.isAdded = clause.isAdded
                next.isNegated = true
            case .aside:
                next.isAdded = clause.isAdded
                next.isAside = true
            }
            if !clause.atoms.isEmpty {
                clauses.append(clause)
            } else if link == .with || link == .and || link == .or, clause.link != .without {
                next.link = clause.link == .stop ? .stop : link
            }
            clause = next
        }
        if !clause.atoms.isEmpty { clauses.append(clause) }
        return clauses
    }

    /// Amounts stand after their foods: "rice 150 g" and not "150 g rice".
    var isPostfix: Bool {
        guard case .amount(let amount) = atoms.last, amount.certainty != .one else { return false }
        for atom in atoms {
            switch atom {
            case .food, .unknown: return true
            case .amount: return false
            case .modifier, .link: continue
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
