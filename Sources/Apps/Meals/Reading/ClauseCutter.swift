/// Cuts atoms into clauses and decides for each whether its foods were eaten.
///
/// A statement has a stance. A verb sets it, and it holds for the foods that follow, across commas
/// and "and", until another verb, a contrast ("but", and after a denial "just") or the end of the
/// sentence. "No", "without" and "instead of" apply only to the one food that follows.
struct ClauseCutter {
    /// The state of a statement, which its clauses inherit.
    private struct Statement {
        var stance = Clause.Stance.eaten
        /// A food has followed, and one with its own amount.
        var hasFood = false
        var hasAmount = false
        /// A verb of eating was denied, and no possible object has followed.
        var isDeniedAlone = false
        /// "Swapped": foods after "for" and "with" were eaten.
        var isReplacing = false
        /// "wanted", "could have": a verb directly after it belongs to the wish.
        var isWish = false
        var isShared = false
        var part: Clause.Part?
    }

    /// Words that modify the next verb.
    private struct Auxiliary {
        var isDenied = false
        var isSupposed = false
        var isSomebodys = false
    }

    private var clauses: [Clause] = []
    private var clause = Clause(link: .stop)
    private var statement = Statement()
    private var auxiliary = Auxiliary()
    private var isAgainst = false
    private var sentence = 0

    /// Returns the clauses. Drops clauses without atoms and passes their link on if the next one
    /// has none. Linear.
    static func clauses(of atoms: [Atom]) -> [Clause] {
        var cutter = Self()
        for atom in atoms { cutter.take(atom) }
        cutter.end(next: Clause(link: .stop))
        return cutter.clauses
    }

    private mutating func take(_ atom: Atom) {
        switch atom {
        case .link(let link): take(link)
        case .cue(let cue): take(cue)
        case .energy(let energy): take(energy)
        case .amount:
            // "Skipped the bread, two eggs": a food with its own amount begins a new statement.
            if clause.atoms.isEmpty, clause.link == .comma, statement.stance == .uneaten,
                statement.hasFood, !statement.hasAmount
            {
                restate(.eaten)
            }
            if !statement.hasFood { statement.hasAmount = true }
            clause.atoms.append(atom)
        case .food:
            statement.hasFood = true
            statement.isDeniedAlone = false
            clause.atoms.append(atom)
        case .unknown(let word):
            statement.isDeniedAlone = false
            // "dont remember": after a denial an unknown word is taken for a verb.
            if !auxiliary.isDenied { clause.atoms.append(.unknown(word)) }
        case .modifier, .brand:
            clause.atoms.append(atom)
        }
    }

    // MARK: Links

    private mutating func take(_ link: Atom.Link) {
        var next = Clause(link: link)
        next.isAdded = clause.isAdded
        // "no milk, sugar": the comma ends the negation. In "with no milk" it has just begun.
        let stillNegated = clause.atoms.isEmpty && clause.isNegated
        switch link {
        case .stop: next.isAdded = false
        case .colon: break
        case .comma, .open, .and: next.isNegated = stillNegated
        case .with, .made:
            next.isAdded = true
            next.isNegated = stillNegated
        case .or: next.isNegated = clause.isNegated
        case .without: next.isNegated = true
        case .aside: next.isAside = true
        }
        if clause.atoms.isEmpty, clause.energy == nil {
            if [.with, .made, .and, .or].contains(link), clause.link != .without {
                next.link = clause.link == .stop ? .stop : link
            }
            if link != .stop, link != .and {
                next.isCorrection = clause.isCorrection
                next.isHesitation = clause.isHesitation
            }
        }
        end(next: next)
        carry(over: link)
    }

    /// Decides which part of the statement continues after a link.
    private mutating func carry(over link: Atom.Link) {
        auxiliary = Auxiliary()
        switch link {
        case .stop:
            sentence += 1
            statement = Statement()
            isAgainst = false
        case .and, .comma, .open, .colon:
            if link == .and { isAgainst = false }
            // "Skipped breakfast, two eggs at ten": the verb has had its object already.
            if statement.stance == .uneaten, !statement.hasFood { statement = Statement() }
        case .with, .aside:
            if statement.isReplacing, statement.hasFood { statement.stance = .eaten }
        case .or, .without, .made: break
        }
        apply()
    }

    /// Copies the statement's state to the current clause.
    private mutating func apply() {
        clause.stance = statement.stance
        clause.isShared = statement.isShared
        clause.part = statement.part
        clause.sentence = sentence
    }

    private mutating func end(next: Clause) {
        clause.cancels = statement.isDeniedAlone && statement.stance == .uneaten
        if clause.cancels { statement.isDeniedAlone = false }
        if !clause.isEmpty { clauses.append(clause) }
        clause = next
        apply()
    }

    // MARK: Cues

    private mutating func take(_ cue: Atom.Cue) {
        switch cue {
        case .ate, .finished: eat(isFinished: cue == .finished)
        case .skipped, .replaced:
            restate(auxiliary.isDenied ? .eaten : .uneaten, part: .left)
            statement.isReplacing = cue == .replaced
        case .wanted:
            restate(.uneaten)
            statement.isWish = true
        case .acquired:
            let isUneaten = auxiliary.isDenied || auxiliary.isSupposed || isWish
            restate(isUneaten ? .uneaten : .acquired)
        case .denial: auxiliary.isDenied = true
        case .supposed: auxiliary.isSupposed = true
        case .somebody: auxiliary.isSomebodys = true
        case .speaker: auxiliary.isSomebodys = false
        case .but:
            restate(.eaten, link: .comma)
            isAgainst = true
        case .only where statement.stance == .uneaten && statement.hasFood: restate(.eaten)
        case .only: clause.isNegated = clause.isNegated && !clause.atoms.isEmpty
        case .instead:
            statement.stance = .eaten
            clause.stance = .eaten
        case .correction, .hesitation:
            guard clause.atoms.isEmpty || cue == .correction else { return }
            let isFirst = clauses.isEmpty && clause.atoms.isEmpty
            restate(.eaten, link: .comma)
            clause.isCorrection = !isFirst && cue == .correction
            clause.isHesitation = !isFirst && cue == .hesitation
        case .pronoun: clause.part = clause.part ?? .eaten
        case .object:
            statement.isDeniedAlone = false
            statement.isWish = false
            if clause.atoms.isEmpty { clause.isNegated = false }
        case .shared:
            restate(.eaten, link: clause.atoms.isEmpty ? clause.link : .comma)
            statement.isShared = true
            apply()
        case .shop: unbuy()
        }
    }

    /// "wanted to eat": a verb directly after one of wishing belongs to the wish.
    private var isWish: Bool {
        statement.isWish && !statement.hasFood && clause.atoms.isEmpty
    }

    private mutating func eat(isFinished: Bool) {
        var isSomebodys = auxiliary.isSomebodys
        // "Anna had the fish": an unknown word directly before the verb is taken for a person.
        if case .unknown = clause.atoms.last, clause.atoms.count == 1, clause.link != .aside {
            clause.atoms = []
            isSomebodys = true
        }
        let (isDenied, isWish) = (auxiliary.isDenied, isWish)
        let isUneaten = isDenied || auxiliary.isSupposed || isSomebodys || isWish
        if isDenied, isFinished {
            restate(.eaten, part: .eaten)
            clause.isUnfinished = true
            return
        }
        let isDeniedAlone = isDenied || isWish && statement.isDeniedAlone
        restate(isUneaten ? .uneaten : .eaten, part: .eaten)
        statement.isDeniedAlone = isDeniedAlone
        // "could have eaten": the next verb belongs to this one.
        statement.isWish = isUneaten
        clause.overrides = isAgainst && !isUneaten
    }

    /// Begins a new statement and a new clause, at a verb or a contrast.
    private mutating func restate(
        _ stance: Clause.Stance, part: Clause.Part? = nil, link: Atom.Link? = nil
    ) {
        var next = Clause(link: link ?? (clause.atoms.isEmpty ? clause.link : .stop))
        if clause.atoms.isEmpty {
            next.isCorrection = clause.isCorrection
            next.isHesitation = clause.isHesitation
            next.energy = clause.energy
        }
        if !clause.atoms.isEmpty || clause.cancels || clause.isUnfinished
            || statement.isDeniedAlone
        {
            end(next: next)
        } else {
            clause = next
        }
        statement = Statement(stance: stance, part: part)
        auxiliary = Auxiliary()
        apply()
    }

    /// Food from a supermarket was not eaten yet: marks it as uneaten.
    private mutating func unbuy() {
        guard statement.stance == .acquired else { return }
        // A new statement, so that the next comma may begin another one.
        statement = Statement(stance: .uneaten)
        clause.stance = .uneaten
        for place in clauses.indices.reversed() {
            guard clauses[place].sentence == sentence, clauses[place].stance == .acquired else {
                break
            }
            clauses[place].stance = .uneaten
        }
    }

    // MARK: Calories

    private mutating func take(_ energy: Atom.Energy) {
        let isBehind = clause.hasFood
        clause.energy = energy
        clause.isEnergyBehind = isBehind
        guard isBehind else { return }
        var next = Clause(link: .comma)
        next.isAdded = clause.isAdded
        end(next: next)
    }
}
