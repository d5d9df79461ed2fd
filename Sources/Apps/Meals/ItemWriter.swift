/// Turns drafts into items: portion, nutrients, display name, confidence and notes.
enum ItemWriter {
    private static let smallWords: Set<String> = ["and", "with", "of", "in", "on", "the"]
    /// Characters in an unknown food's name; the rest is cut off.
    private static let unknownNameMax = 60

    static func item(of draft: Draft, orderIndex: Int) -> MealItem {
        guard let food = draft.food else { return unknown(draft, orderIndex: orderIndex) }
        let portion = Portion.of(draft, food: food)
        var foodID: String?
        var userFoodID: String?
        switch food.origin {
        case .everybody(let id): foodID = id
        case .user(let id): userFoodID = id
        }
        let (grams, nutrients) = figures(of: draft, food: food, portion: portion)
        // Black coffee has next to no energy, however much it is.
        let isNegligible = nutrients.energy < negligibleEnergy && portion.trust == Portion.usual
        let trust = isNegligible ? negligibleTrust : portion.trust
        var confidence =
            nameConfidence(draft)
            * (draft.energy == nil ? trust * quantityConfidence(draft) : 0.97)
        let isPlausible = grams <= plausibleGramsMax && nutrients.energy <= plausibleEnergyMax
        if !isPlausible { confidence = min(confidence, implausible) }
        if isGuess(draft, food) { confidence = min(confidence, Portion.usual) }
        return MealItem(
            foodID: foodID, userFoodID: userFoodID, name: name(draft, food: food), type: food.type,
            quantity: max(portion.quantity, 0.01), unit: portion.unit, grams: grams,
            nutrients: nutrients, confidence: confidence,
            notes: notes(draft, food: food, portion: portion, isPlausible: isPlausible),
            orderIndex: orderIndex)
    }

    /// Whether the sentence leaves open which food it is, or how much of it.
    private static func isGuess(_ draft: Draft, _ food: Food) -> Bool {
        guard draft.energy == nil else { return false }
        let amount = draft.amount
        // "a few" are as many as somebody likes; "two or three" are not.
        let quantity = amount?.quantity ?? 1
        if amount?.certainty == .about, amount?.unit?.isMeasured != true,
            quantity == quantity.rounded()
        {
            return true
        }
        if MealWords.current.dishes[.ambiguous].contains(draft.words) { return true }
        // "a burger", "a pie": of what, and how large?
        if amount?.unit == nil, amount?.size == nil, draft.words.count == 1, food.type == .food,
            Dish.isMixed(draft)
        {
            return true
        }
        // What a part weighs is a guess.
        return draft.isGuess || draft.without.contains { Dish.holds(draft, $0) }
    }

    /// Fewer kilocalories do not matter, and the confidence in a usual portion of them.
    private static let negligibleEnergy = 6.0
    private static let negligibleTrust = 0.82

    /// More grams or kilocalories of one food are seldom one person's meal, so more often misread.
    private static let plausibleGramsMax = 1500.0
    private static let plausibleEnergyMax = 1500.0
    /// The most confidence in such an item.
    private static let implausible = 0.3
    /// Letters from which a word with a wrong one is surely the nearest known word.
    private static let surelyMendedLength = 6
    /// The most confidence in a food that no table has, or whose name has an unknown word.
    private static let strange = 0.35

    /// Kilocalories of a draft by the food table, ignoring calories that the sentence gives.
    static func estimate(of draft: Draft) -> Double {
        guard let food = draft.food else { return 0 }
        let portion = Portion.of(draft, food: food)
        return known(draft, food: food, portion: portion).energy
    }

    /// Grams and nutrients. Calories that the sentence gives win. The nutrients are scaled to them,
    /// and so are the grams unless the sentence gives the amount.
    private static func figures(
        of draft: Draft, food: Food, portion: Portion
    ) -> (grams: Double, nutrients: Nutrients) {
        let known = known(draft, food: food, portion: portion)
        guard let energy = draft.energy else { return (portion.grams, known) }
        let kilocalories =
            min(energy.kilocalories, energyMax) * (energy.isEach ? max(portion.quantity, 1) : 1)
        guard known.energy > 0 else {
            var said = known
            said.energy = kilocalories
            return (portion.grams, said)
        }
        let factor = kilocalories / known.energy
        let isSaid = draft.amount?.certainty == .said
        let grams = isSaid ? portion.grams : min(portion.grams * factor, Portion.gramsMax)
        return (grams, known.times(factor))
    }

    /// The nutrients of a portion, without what the sentence excludes: "diet" sugar, "low-fat" fat,
    /// and the usual portion of a part that the dish has ("burger without the bun").
    private static func known(_ draft: Draft, food: Food, portion: Portion) -> Nutrients {
        let lean = draft.modifiers.reduce(food.nutrients) {
            MealWords.current.lean.apply($1, to: $0)
        }
        let known = lean.times(portion.grams / 100)
        let isCounted = draft.amount?.unit?.isMeasured != true
        let absent = draft.without.filter { Dish.holds(draft, $0) }.map { part in
            var part = part
            part.addedTo = food.type
            return estimate(of: part) * (isCounted ? max(portion.quantity, 1) : 1)
        }
        guard !absent.isEmpty, known.energy > 0 else { return known }
        return known.times(max(1 - absent.reduce(0, +) / known.energy, wholeDishMin))
    }

    /// The least share of a dish's energy that is left of it without some parts.
    private static let wholeDishMin = 0.35

    /// Upper limit for a number of kilocalories in a sentence; a larger one is cut to it.
    private static let energyMax = 20_000.0

    /// An unknown food is kept as an item, so that no part of the sentence is lost. It has no
    /// energy unless the sentence gives it.
    private static func unknown(_ draft: Draft, orderIndex: Int) -> MealItem {
        let text = String(draft.words.joined(separator: " ").prefix(unknownNameMax))
        var grams: Double?
        var unit = "serving"
        if case .mass(let one, let label) = draft.amount?.unit {
            grams = one * (draft.amount?.quantity ?? 1)
            unit = label
        } else if case .household(let word) = draft.amount?.unit {
            unit = Portion.label(word, quantity: draft.amount?.quantity ?? 1)
        }
        return MealItem(
            name: titled(text), type: .food, quantity: max(draft.amount?.quantity ?? 1, 0.01),
            unit: unit, grams: grams,
            nutrients: Nutrients(
                energy: min(draft.energy?.kilocalories ?? 0, energyMax), protein: 0,
                carbohydrate: 0, fat: 0),
            confidence: draft.energy == nil ? 0.1 : strange,
            notes: draft.energy == nil
                ? "unknown food: counted as 0 kcal" : "unknown food: calories as said",
            orderIndex: orderIndex)
    }

    private static func nameConfidence(_ draft: Draft) -> Double {
        if let similarity = draft.similarity { return 0.75 * similarity * similarity }
        if draft.isStrange { return strange }
        var confidence = draft.isImplied ? 0.6 : 0.99
        if draft.isMended {
            // One letter makes another food of a short word: orzo, oreo.
            let isShort = draft.words.contains { $0.utf8.count < surelyMendedLength }
            confidence = isShort ? strange : confidence - 0.1
        }
        // "salmon sushi" may be much else than sushi.
        if !draft.leftOver.isEmpty { confidence *= 0.45 }
        confidence -= 0.01 * Double(min(draft.modifiers.count, 3))
        return confidence
    }

    private static func quantityConfidence(_ draft: Draft) -> Double {
        switch draft.amount?.certainty {
        case .said, .one: 1
        case .about: 0.92
        case nil: 0.95
        }
    }

    /// The table's name for the food. If the sentence uses other words, it is the synonym that the
    /// sentence uses. Preparations that the sentence mentions are put in front.
    private static func name(_ draft: Draft, food: Food) -> String {
        let known = Set(FoodIndex.lemmas(of: food.name))
        var name = food.name
        if draft.similarity == nil, !draft.isImplied, !draft.words.allSatisfy(known.contains) {
            let said = food.synonyms.first { synonym in
                FoodIndex.lemmas(of: synonym).sorted() == draft.words.sorted()
            }
            name = said ?? name
        }
        let made = draft.modifiers.filter { word in
            Lexicon.preparations.contains(word)
                && !FoodIndex.lemmas(of: name).contains(Lemma.of(word))
        }
        return titled((made + [name]).joined(separator: " "))
    }

    static func titled(_ text: String) -> String {
        text.split(separator: " ").enumerated().map { place, word in
            place > 0 && smallWords.contains(String(word))
                ? String(word) : word.prefix(1).uppercased() + word.dropFirst()
        }.joined(separator: " ")
    }

    private static func notes(
        _ draft: Draft, food: Food, portion: Portion, isPlausible: Bool
    ) -> String? {
        var notes: [String] = []
        if !isPlausible { notes.append("more than one person usually eats") }
        if draft.isImplied {
            notes.append("only a brand was said")
        } else if draft.similarity != nil {
            notes.append("\"\(draft.words.joined(separator: " "))\" taken for \(food.name)")
        } else if draft.isMended {
            notes.append("spelling: taken for \(food.name)")
        }
        if !draft.leftOver.isEmpty {
            notes.append("not considered: \(draft.leftOver.joined(separator: " "))")
        }
        if draft.amount?.certainty == .about { notes.append("about") }
        if draft.energy != nil {
            notes.append("calories as said")
        } else if let note = portion.note {
            notes.append(note)
        }
        if !draft.without.isEmpty {
            let absent = draft.without.map { $0.words.joined(separator: " ") }
            notes.append("without \(absent.joined(separator: ", "))")
        }
        return notes.isEmpty ? nil : notes.joined(separator: "; ")
    }
}
