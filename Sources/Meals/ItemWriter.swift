/// Drafts to items: portion, nutrients, name as shown, confidence, notes.
enum ItemWriter {
    private static let smallWords: Set<String> = ["and", "with", "of", "in", "on", "the"]
    private static let preparations: Set<String> = Set(
        Lexicon.preparations.split(whereSeparator: { $0 == " " || $0 == "\n" }).map(String.init))
    /// Scalars of an unknown food's name.
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
        let confidence = nameConfidence(draft) * portion.trust * quantityConfidence(draft)
        return MealItem(
            foodID: foodID, userFoodID: userFoodID, name: name(draft, food: food), type: food.type,
            quantity: max(portion.quantity, 0.01), unit: portion.unit, grams: portion.grams,
            nutrients: food.nutrients(grams: portion.grams), confidence: confidence,
            notes: notes(draft, food: food, portion: portion), orderIndex: orderIndex)
    }

    /// Kept, so that nothing that was said is lost; without energy, for none is known.
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
            nutrients: Nutrients(energy: 0, protein: 0, carbohydrate: 0, fat: 0),
            confidence: 0.1, notes: "unknown food: counted as 0 kcal", orderIndex: orderIndex)
    }

    private static func nameConfidence(_ draft: Draft) -> Double {
        if let similarity = draft.similarity { return 0.75 * similarity }
        var confidence = 0.99
        if draft.isMended { confidence -= 0.1 }
        confidence -= 0.12 * Double(min(draft.leftOver.count, 3))
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

    /// The table's name, or the one that was said where its words aren't in the table's, with what
    /// was said on how it was made.
    private static func name(_ draft: Draft, food: Food) -> String {
        let known = Set(FoodIndex.lemmas(of: food.name))
        var name = food.name
        if draft.similarity == nil, !draft.words.allSatisfy(known.contains) {
            let said = food.synonyms.first { synonym in
                FoodIndex.lemmas(of: synonym).sorted() == draft.words.sorted()
            }
            name = said ?? name
        }
        let made = draft.modifiers.filter { word in
            preparations.contains(word) && !FoodIndex.lemmas(of: name).contains(Lemma.of(word))
        }
        return titled((made + [name]).joined(separator: " "))
    }

    static func titled(_ text: String) -> String {
        text.split(separator: " ").enumerated().map { place, word in
            place > 0 && smallWords.contains(String(word))
                ? String(word) : word.prefix(1).uppercased() + word.dropFirst()
        }.joined(separator: " ")
    }

    private static func notes(_ draft: Draft, food: Food, portion: Portion) -> String? {
        var notes: [String] = []
        if draft.similarity != nil {
            notes.append("\"\(draft.words.joined(separator: " "))\" taken for \(food.name)")
        } else if draft.isMended {
            notes.append("spelling: taken for \(food.name)")
        }
        if !draft.leftOver.isEmpty {
            notes.append("not considered: \(draft.leftOver.joined(separator: " "))")
        }
        if draft.amount?.certainty == .about { notes.append("about") }
        if let note = portion.note { notes.append(note) }
        if !draft.without.isEmpty {
            notes.append("without \(draft.without.joined(separator: ", "))")
        }
        return notes.isEmpty ? nil : notes.joined(separator: "; ")
    }
}
