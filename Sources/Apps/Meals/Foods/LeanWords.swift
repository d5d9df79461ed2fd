import TextTables

/// The rows of `lean.tsv`: words such as "diet" and "low-fat", and what a food then lacks.
struct LeanWords: Sendable {
    private enum Nutrient: String, CaseIterable {
        case sugar, fat, alcohol
    }

    private var rules: [String: (nutrient: Nutrient, part: Double)] = [:]

    static let table = BuiltInTable(
        TableForm("lean", version: 1, columns: ["nutrient", "part", "words"]), Embedded.lean_tsv)

    init(_ rows: [TableRow]) throws(TableFault) {
        for row in rows {
            let nutrient: Nutrient = try row.choice("nutrient")
            let part = try row.neededNumber("part", in: 0...1)
            for words in row.words("words") { rules[words] = (nutrient, part) }
        }
    }

    /// The nutrients of a food that a modifier describes. Energy without a nutrient's own: 4, 9 and
    /// 7 kcal in a gram of sugar, fat and alcohol. The alcohol is what the other nutrients leave of
    /// the energy.
    func apply(_ modifier: String, to nutrients: Nutrients) -> Nutrients {
        guard let (nutrient, part) = rules[modifier] else { return nutrients }
        var lean = nutrients
        switch nutrient {
        case .sugar:
            let sugar = min(nutrients.sugar ?? 0, nutrients.carbohydrate) * part
            lean.sugar = nutrients.sugar.map { $0 - sugar }
            lean.carbohydrate -= sugar
            lean.energy -= 4 * sugar
        case .fat:
            lean.fat -= nutrients.fat * part
            lean.energy -= 9 * nutrients.fat * part
        case .alcohol:
            let known = 4 * (nutrients.protein + nutrients.carbohydrate) + 9 * nutrients.fat
            lean.energy -= max(nutrients.energy - known, 0) * part
        }
        lean.energy = max(lean.energy, 0)
        return lean
    }
}
