/// Parses amounts and calories: "2", "a couple of large", "half a cup of", "2 x 150 g", "2–3
/// slices".
struct AmountReader {
    let tokens: [Token]
    let reader: AtomReader

    /// Words after a number that is not an amount of food, by lemma.
    private static let notEaten: Set<String> = [
        "carb", "protein", "percent", "hour", "hr", "minute", "min", "day", "week", "month", "year",
        "oclock", "am", "pm", "mile", "km", "step", "degree", "dollar", "buck",
    ]

    /// Units of energy by lemma, and the kilocalories in one.
    private static let energies: [String: Double] = [
        "kcal": 1, "calory": 1, "cal": 1, "kilocalory": 1, "kj": 1 / 4.184, "kilojoule": 1 / 4.184,
    ]

    private struct Number {
        var value: Double
        var certainty: Amount.Certainty
        var isFraction = false
        var next: Int
    }

    private func lemma(_ at: Int) -> String {
        at < tokens.count && tokens[at].kind == .word ? tokens[at].lemma : ""
    }

    private func digits(_ at: Int) -> (value: Double, isFraction: Bool)? {
        guard at < tokens.count, case .number(let value, let isFraction) = tokens[at].kind else {
            return nil
        }
        return (value, isFraction)
    }

    /// The amount or energy that begins here, and the place of the token after it. The figure is
    /// nil for text that must be skipped ("30 g protein"). The result is nil if no figure begins
    /// here.
    func figure(_ at: Int) -> (figure: Atom?, next: Int)? {
        if let number = number(at), let one = Self.energies[lemma(number.next)] {
            return energy(number.value * one, number.certainty, number.next + 1)
        }
        return amount(at).map { ($0.amount.map(Atom.amount), $0.next) }
    }

    /// The words after calories: "180 calories each", "in total".
    private func energy(
        _ kilocalories: Double, _ certainty: Amount.Certainty, _ at: Int
    ) -> (figure: Atom?, next: Int) {
        var energy = Atom.Energy(kilocalories: kilocalories, certainty: certainty)
        let next = lemma(at) == "in" ? at + 1 : at
        switch lemma(next) {
        case "each", "apiece", "per": energy.isEach = true
        case "total", "altogether", "overall", "all": energy.isTotal = true
        default: return (.energy(energy), skipOf(at))
        }
        return (.energy(energy), next + 1)
    }

    private func amount(_ at: Int) -> (amount: Amount?, next: Int)? {
        guard let number = number(at) else { return withoutNumber(at) }
        var next = number.next
        var amount = Amount(
            quantity: number.value, certainty: number.certainty, isFraction: number.isFraction)
        amount.part = number.isFraction ? number.value : nil
        if lemma(at) == "another" || lemma(next) == "more" {
            amount.isMore = true
            if lemma(next) == "more" || lemma(next) == "one" { next += 1 }
        }
        if number.certainty == .said, Self.notEaten.contains(lemma(next)),
            reader.name(next) == nil
        {
            return (nil, next + 1)
        }
        if lemma(next) == "x" || lemma(next) == "time" { next += 1 }
        next = size(&amount, next)
        // "2 x 150 g", "a 12 oz can", "1 (28 ounce) can"
        if let after = measure(&amount, skipOf(next)) {
            let (vessel, end) = vessel(after)
            amount.vessel = vessel
            return (amount, end)
        }
        next = skipSmall(next)
        next = size(&amount, next)
        next = adjectives(&amount, next)
        if let (unit, after) = unit(next) {
            // "a can of 400 g"
            if case .household(let vessel) = unit, lemma(after) == "of",
                let end = measure(&amount, after + 1)
            {
                amount.vessel = vessel
                return (amount, end)
            }
            // "30 g protein" is a content of a food, not an amount of it.
            if unit.isMeasured, ["protein", "carb", "fiber", "fat"].contains(lemma(after)),
                reader.name(after) == nil
            {
                return (nil, after + 1)
            }
            amount.unit = unit
            next = after
            if unit.isMeasured { (amount.vessel, next) = vessel(after) }
            if unit.isMeasured, lemma(next) == "each" || lemma(next) == "apiece" {
                amount.isEach = true
                next += 1
            }
            // "a cup and a half"
            if lemma(next) == "and", lemma(next + 1) == "a",
                let part = Lexicon.parts[lemma(next + 2)]
            {
                amount.quantity += part
                next += 3
            }
            // "slices of a large pizza"
            if lemma(next) == "of", amount.size == nil { next = size(&amount, skipOf(next)) }
        }
        return (amount, skipOf(next))
    }

    /// Multiplies an amount by the measure that begins here, with or without parentheses. Returns
    /// the place after it; nil if there is none.
    private func measure(_ amount: inout Amount, _ at: Int) -> Int? {
        let isOpen = at < tokens.count && tokens[at].kind == .open
        let first = isOpen ? at + 1 : at
        guard let inner = digits(first), let (unit, after) = unit(first + 1), unit.isMeasured,
            !isOpen || after < tokens.count && tokens[after].kind == .close
        else { return nil }
        amount.quantity *= inner.value
        amount.unit = unit
        amount.isFraction = false
        amount.certainty = amount.certainty == .one ? .said : amount.certainty
        return isOpen ? after + 1 : after
    }

    /// Skips words about the food before a unit, and with a size: "half a thick slice of", "half a
    /// ripe medium".
    private func adjectives(_ amount: inout Amount, _ at: Int) -> Int {
        let words = tokens[min(at, tokens.count)...].indices.prefix { place in
            let role = Lexicon.roles[lemma(place)]
            return (role == .modifier || role == .filler || Lexicon.sizes[lemma(place)] != nil)
                && reader.name(place) == nil && unit(place) == nil
        }
        let size = words.map(lemma).first { Lexicon.sizes[$0] != nil }
        guard !words.isEmpty, size != nil || unit(words.endIndex) != nil else { return at }
        amount.size = amount.size ?? size
        amount.adjectives = words.filter { Lexicon.roles[lemma($0)] == .modifier }.map {
            tokens[$0].text
        }
        return words.endIndex
    }

    /// An amount without a number, which is only a unit or a size: "cup of tea", "large fries",
    /// "slices of pizza".
    private func withoutNumber(_ at: Int) -> (amount: Amount?, next: Int)? {
        var amount = Amount(quantity: 1, certainty: .one)
        var next = size(&amount, at)
        if let (unit, after) = unit(next), !unit.isMeasured, tokens[next].text.utf8.count >= 3 {
            if Lemma.isPlural(tokens[next].text) {
                amount.quantity = 2
                amount.certainty = .about
            }
            amount.unit = unit
            next = after
        }
        guard next > at else { return nil }
        return (amount, skipOf(next))
    }

    private func number(_ at: Int) -> Number? {
        guard var number = simple(at) else { return nil }
        // "2 of the 6 cookies"
        if lemma(number.next) == "of", ["the", "my", "those"].contains(lemma(number.next + 1)),
            number.certainty == .said, let all = simple(number.next + 2), all.certainty == .said
        {
            number.next = all.next
        }
        // "1 and 1/2", "two and a half"
        if lemma(number.next) == "and" {
            var next = number.next + 1
            if lemma(next) == "a" || lemma(next) == "an" || lemma(next) == "one" { next += 1 }
            if let part = digits(next), part.isFraction {
                number.value += part.value
                number.next = next + 1
            } else if let part = Lexicon.parts[lemma(next)] {
                number.value += part
                number.next = next + 1
            }
        }
        // "2–3", "two or three"
        var next = number.next
        if next < tokens.count, tokens[next].kind == .dash { next += 1 }
        if lemma(next) == "to" || lemma(next) == "or" { next += 1 }
        if next > number.next, number.certainty == .said, !number.isFraction,
            let upper = simple(next), upper.value > number.value, upper.certainty == .said
        {
            return Number(
                value: (number.value + upper.value) / 2, certainty: .about, next: upper.next)
        }
        return number
    }

    private func simple(_ at: Int) -> Number? {
        guard let (value, isFraction) = digits(at) else {
            return lemma(at) == "x" && digits(at + 1) != nil ? simple(at + 1) : inWords(at)
        }
        // "10 inch quiche"
        if lemma(at + 1) == "inch" { return Number(value: 1, certainty: .one, next: at) }
        if let (part, isPart) = digits(at + 1), isPart, !isFraction {
            return Number(value: value + part, certainty: .said, next: at + 2)
        }
        // "2 thirds of a cup"
        if let part = Lexicon.parts[lemma(at + 1)], !isFraction, value < 8, value == value.rounded()
        {
            return Number(
                value: value * part, certainty: .said, isFraction: true,
                next: skipSmall(skipOf(at + 2)))
        }
        let next = isFraction ? skipSmall(skipOf(at + 1)) : at + 1
        return multiplied(
            Number(value: value, certainty: .said, isFraction: isFraction, next: next))
    }

    private func inWords(_ at: Int) -> Number? {
        // "a quarter pounder"
        if let (_, next) = reader.name(at), next > at + 1 { return nil }
        let first = lemma(at)
        if first == "a" || first == "an" || first == "the" || first == "my" || first == "some" {
            // "a couple of", "a half", "a dozen", "a hundred"
            if let number = inWords(at + 1), number.certainty != .one { return number }
            let isArticle = first == "a" || first == "an"
            return isArticle ? Number(value: 1, certainty: .one, next: at + 1) : nil
        }
        if first == "most", ["of", "the", "my"].contains(lemma(at + 1)) {
            let next = skipSmall(skipOf(at + 1))
            return Number(value: 0.75, certainty: .about, isFraction: true, next: next)
        }
        if let part = Lexicon.parts[first] {
            let next = skipSmall(skipOf(skipSmall(at + 1)))
            return multiplied(
                Number(value: part, certainty: .said, isFraction: true, next: next))
        }
        if Lexicon.multiples[first] != nil {
            return multiplied(Number(value: 1, certainty: .said, next: at))
        }
        if let value = Lexicon.numbers[first] {
            var number = Number(value: value, certainty: .said, next: at + 1)
            if let part = Lexicon.parts[lemma(at + 1)], value >= 1, value < 8 {
                number.value *= part
                number.isFraction = true
                number.next = skipSmall(skipOf(at + 2))
            } else if value >= 20, let ones = Lexicon.numbers[lemma(at + 1)], 1..<10 ~= ones {
                number.value += ones
                number.next += 1
            }
            return multiplied(number)
        }
        return Lexicon.about[first].map {
            Number(value: $0, certainty: .about, next: skipOf(at + 1))
        }
    }

    /// "2 dozen", "half a dozen", "two hundred and fifty"
    private func multiplied(_ number: Number) -> Number {
        guard let factor = Lexicon.multiples[lemma(number.next)] else { return number }
        var product = number
        product.value *= factor
        product.isFraction = false
        product.next += 1
        let rest = lemma(product.next) == "and" ? product.next + 1 : product.next
        if let more = Lexicon.numbers[lemma(rest)].flatMap({ _ in inWords(rest) }),
            !more.isFraction, 1..<factor ~= more.value
        {
            product.value += more.value
            product.next = more.next
        }
        return product
    }

    private func size(_ amount: inout Amount, _ at: Int) -> Int {
        let bracket = at < tokens.count && tokens[at].kind == .open ? 1 : 0
        if let inches = digits(at + bracket)?.value, lemma(at + bracket + 1) == "inch" {
            amount.inches = inches
            return at + 2 + 2 * bracket
        }
        var next = at
        if lemma(next) == "extra", Lexicon.sizes[lemma(next + 1)] != nil { next += 1 }
        guard Lexicon.sizes[lemma(next)] != nil, reader.name(next) == nil,
            Lexicon.roles[lemma(next + 1)] != .cue(.ate)
        else { return at }
        amount.size = lemma(next)
        return next + 1
    }

    private func unit(_ at: Int) -> (unit: Measure, next: Int)? {
        let first = lemma(at)
        guard !first.isEmpty else { return nil }
        if first == "fl" || first == "fluid", Measure.measured[lemma(at + 1)] == .ounce {
            return (.fluidOunce, at + 2)
        }
        if Measure.uses[first] == .mouthful, lemma(at + 1) != "of" { return nil }
        // A word that is also a food's name is a unit only before "of".
        if let (_, next) = reader.name(at), next > at + 1 || lemma(at + 1) != "of" { return nil }
        if let unit = Measure.measured[first] { return (unit, at + 1) }
        let word = Measure.sameAs[first] ?? first
        guard Lexicon.sizes[word] == nil, Lexicon.parts[word] == nil, word != "with",
            reader.lookup.isUnit(word) || Measure.vessels[word] != nil
                || Measure.pieces[word] != nil
                || word == "serving" || word == "piece"
        else { return nil }
        return (.household(word), at + 1)
    }

    /// The container after a measured amount, which adds nothing to the amount: "12 oz can of",
    /// "400 g pack".
    private func vessel(_ at: Int) -> (word: String?, next: Int) {
        let next = skipOf(at)
        guard case (.household(let word), let after)? = unit(next) else { return (nil, next) }
        return (word, skipOf(after))
    }

    /// Skips "of" and "of a".
    private func skipOf(_ at: Int) -> Int {
        lemma(at) == "of" ? skipSmall(at + 1) : at
    }

    private func skipSmall(_ at: Int) -> Int {
        ["a", "an", "the", "of", "my"].contains(lemma(at)) ? at + 1 : at
    }
}

extension Measure {
    /// Whether the unit is a weight or a volume, not a household unit.
    var isMeasured: Bool {
        if case .household = self { false } else { true }
    }
}
