/// The weight of a food, from the amount that a sentence gives.
struct Portion: Sendable, Equatable {
    var quantity: Double
    /// The unit as clients show it: `slices`, `g`, `large`.
    var unit: String
    var grams: Double
    /// The confidence in the unit, 0–1.
    var trust: Double
    /// The assumption that was made.
    var note: String?

    /// The largest weight of one food in a meal, in grams. Larger ones are cut to it.
    static let gramsMax = 20_000.0
    /// The grams of a portion if the table gives none.
    private static let usualGrams = 100.0

    /// The trust in a weight that depends on a container of unknown size.
    private static let guessed = 0.35
    /// The trust in a usual portion. Of portions that a sentence does not give, every second one is
    /// a quarter larger or smaller than the usual one, unless it is a piece.
    static let usual = 0.49

    /// The portion of a draft that has a food.
    static func of(_ draft: Draft, food: Food) -> Self {
        var portion = Chooser(draft: draft, food: food).portion()
        if let share = draft.share {
            portion.grams *= share.part
            portion.quantity *= share.part
            portion.trust *= share.isSaid ? 0.9 : 0.45
            if !share.isSaid { portion.note = "shared: the part is a guess" }
        }
        portion.grams = min(portion.grams, gramsMax)
        if draft.amount?.inches != nil, !["inch", "whole"].contains(portion.unit) {
            portion.trust = min(portion.trust, usual)
        }
        return portion
    }

    /// The unit as shown beside a quantity, in the plural where needed.
    static func label(_ unit: String, quantity: Double) -> String {
        guard quantity > 1 else { return unit }
        switch unit {
        case "tbsp", "tsp", "large", "medium", "small", "oz", "fl oz", "half", "whole", "tall",
            "grande", "venti", "double", "single", "personal", "jumbo", "mini", "baby":
            return unit
        case "leaf": return "leaves"
        case "loaf": return "loaves"
        case "patty": return "patties"
        default:
            for ending in ["ch", "sh", "x", "s"] where unit.hasSuffix(ending) { return unit + "es" }
            return unit + "s"
        }
    }

    private struct Chooser {
        let draft: Draft
        let food: Food

        func portion() -> Portion {
            if let whole { return whole }
            guard let amount = draft.amount else { return usual() }
            switch amount.unit {
            case .mass(let grams, let label):
                if label == "oz", food.type != .food {
                    return volume(amount, millilitres: 29.57, label: "fl oz")
                }
                return Portion(
                    quantity: amount.quantity, unit: label, grams: amount.quantity * grams, trust: 1
                )
            case .volume(let millilitres, let label):
                return volume(amount, millilitres: millilitres, label: label)
            case .household(let unit):
                return household(amount, unit: unit)
            case nil:
                return counted(amount)
            }
        }

        /// "a pizza", or one that is shared, means a whole one, if one person might order it.
        private var whole: Portion? {
            let isOne = draft.amount.map {
                $0.unit == nil && $0.size == nil && $0.inches == nil && !$0.isFraction
            }
            guard isOne ?? (draft.share != nil), let grams = food.grams(of: "whole"),
                food.grams(of: "slice") != nil, grams <= Self.wholeGramsMax
            else { return nil }
            let amount = draft.amount ?? Amount(quantity: 1, certainty: .one)
            return made(amount, unit: "whole", grams: grams, trust: 0.85, "taken as a whole one")
        }

        private static let wholeGramsMax = 800.0
        /// Units that are the food itself.
        private static let wholes: Set<String> = ["piece", "medium", "large", "whole"]

        private func volume(_ amount: Amount, millilitres: Double, label: String) -> Portion {
            let total = amount.quantity * millilitres
            var grams = total * food.density
            if food.type == .food, food.density == 1, let spoon = spoonDensity {
                grams = total * spoon
            }
            return Portion(
                quantity: amount.quantity,
                unit: Portion.label(label, quantity: label.count > 2 ? amount.quantity : 1),
                grams: grams, trust: 1)
        }

        /// Grams per millilitre, from the table's cups and spoons.
        private var spoonDensity: Double? {
            for (unit, millilitres) in [("cup", 240.0), ("tbsp", 15), ("tsp", 5)] {
                if let grams = food.grams(of: unit) { return grams / millilitres }
            }
            return nil
        }

        private func household(_ amount: Amount, unit: String) -> Portion {
            let factor = amount.size.flatMap { Lexicon.sizes[$0] } ?? 1
            let names = [unit] + (Measure.alike[unit] ?? [])
            let known = names.first { food.grams(of: $0) != nil }
            var (grams, trust) = (Portion.usualGrams, Portion.usual)
            if let known {
                // The food's own unit is exact; a similar unit is a little less certain.
                (grams, trust) = (food.grams(of: known) ?? 0, known == unit ? 1 : 0.9)
            } else if unit == "serving" || unit == "piece", let first = food.units.first {
                (grams, trust) = (first.grams, 0.9)
            } else if let millilitres = Measure.vessels[unit] {
                let density = food.type == .food ? spoonDensity ?? food.density : food.density
                (grams, trust) = (millilitres * density, 0.85)
            } else if let usual = Measure.pieces[unit] ?? food.units.first?.grams {
                grams = usual
            }
            // Drinks come in usual cans and bottles; food comes in packs of all sizes.
            if Measure.uses[unit] == .container, food.type == .food || known == nil {
                trust = Portion.guessed
            } else if Measure.uses[unit] == .vague || factor != 1 {
                trust = min(trust, Portion.usual)
            }
            let name = [amount.size, unit].compactMap(\.self).joined(separator: " ")
            return made(
                amount, unit: unit, grams: grams * factor, trust: trust,
                trust > Portion.usual ? nil : "the weight of a \(name) is a guess")
        }

        private func made(
            _ amount: Amount, unit: String, grams: Double, trust: Double, _ note: String?
        ) -> Portion {
            Portion(
                quantity: amount.quantity, unit: Portion.label(unit, quantity: amount.quantity),
                grams: amount.quantity * grams, trust: trust, note: note)
        }

        /// An amount without a unit: a number of the food, or a size.
        private func counted(_ amount: Amount) -> Portion {
            if let inches = amount.inches {
                if let grams = food.grams(of: "inch") {
                    return made(amount, unit: "inch", grams: grams * inches, trust: 1, nil)
                }
                // The inches are a diameter. The table's whole pizzas have 12, its pies 9.
                if let whole = food.grams(of: "whole") {
                    let isPizza = draft.words.contains("pizza")
                    let share = inches / (isPizza ? 12 : 9)
                    return made(
                        amount, unit: "whole", grams: whole * share * share,
                        trust: isPizza ? 0.85 : Portion.usual, nil)
                }
            }
            if let size = amount.size { return sized(amount, size: size) }
            if let unit = named {
                return made(amount, unit: unit, grams: food.grams(of: unit) ?? 0, trust: 1, nil)
            }
            if amount.isFraction, amount.quantity < 1 {
                for (part, unit) in [(0.5, "half"), (0.25, "quarter")] where amount.quantity == part
                {
                    guard let grams = food.grams(of: unit) else { continue }
                    return Portion(quantity: part, unit: "piece", grams: grams, trust: 1)
                }
                for unit in ["whole", "piece", "medium", "large"] {
                    guard let grams = food.grams(of: unit) else { continue }
                    return made(amount, unit: unit, grams: grams, trust: 0.95, nil)
                }
            }
            // "a few fries" are less than the usual portion.
            if amount.certainty == .about, amount.quantity >= 2, food.type == .food,
                food.grams(of: "piece") == nil,
                draft.isPlural, let usual = food.units.first, Measure.uses[usual.name] != .counted
            {
                let few = Amount(quantity: 1, certainty: .about)
                let grams = food.grams(of: "handful") ?? usual.grams / 2
                return made(few, unit: "handful", grams: grams, trust: 0.6, "a few are estimated")
            }
            if let grams = food.grams(of: "piece") {
                return made(amount, unit: shown("piece", grams), grams: grams, trust: 1, nil)
            }
            return first(amount, trust: 0.95)
        }

        /// The unit that is part of the matched name: "chicken wings", "3 egg omelette".
        private var named: String? {
            for word in [draft.words.last, draft.words.first].compactMap({ $0 }) {
                if let unit = food.units.first(where: { Lemma.of($0.name) == word }) {
                    return unit.name
                }
            }
            return nil
        }

        /// The name of the food's first unit if it weighs the same, such as "medium" for a piece.
        private func shown(_ unit: String, _ grams: Double) -> String {
            food.units.first.map { $0.grams == grams ? $0.name : unit } ?? unit
        }

        private func sized(_ amount: Amount, size: String) -> Portion {
            for name in [size, Lexicon.sizesAlike[size]].compactMap({ $0 }) {
                guard let grams = food.grams(of: name) else { continue }
                return made(
                    plural(amount), unit: name, grams: grams, trust: name == size ? 1 : 0.9, nil)
            }
            let factor = Lexicon.sizes[size] ?? 1
            let whole = amount.isFraction ? food.units.first { $0.name == "whole" } : nil
            let unit = whole ?? food.units.first { $0.name == "piece" } ?? food.units.first
            let grams = unit?.grams ?? Portion.usualGrams
            return made(
                plural(amount), unit: unit?.name ?? "serving", grams: grams * factor,
                trust: factor == 1 ? 0.8 : Portion.usual,
                factor == 1 ? nil : "\(size) is estimated")
        }

        /// "large eggs" are about two.
        private func plural(_ amount: Amount) -> Amount {
            guard amount.certainty == .one, draft.isPlural, let unit = food.units.first,
                Measure.uses[unit.name] == .counted
            else { return amount }
            return Amount(quantity: 2, certainty: .about)
        }

        private func first(_ amount: Amount, trust: Double) -> Portion {
            guard let unit = food.units.first else {
                return made(
                    amount, unit: "serving", grams: Portion.usualGrams, trust: Portion.guessed,
                    "a serving is taken as 100 g")
            }
            return made(amount, unit: unit.name, grams: unit.grams, trust: trust, nil)
        }

        /// The portion if the sentence gives no amount.
        private func usual() -> Portion {
            let one = Amount(quantity: 1, certainty: .one)
            let added = draft.addedTo.map { $0 == .food ? ["with"] : ["splash", "with"] } ?? []
            if let grams = added.lazy.compactMap(food.grams).first {
                return made(
                    one, unit: "serving", grams: grams, trust: Portion.usual, "amount assumed")
            }
            guard let unit = food.units.first else { return first(one, trust: 0.5) }
            // "half chicken", where that is a name.
            if draft.words.count > 1, let name = draft.words.first, name != unit.name,
                let grams = food.grams(of: name)
            {
                return made(one, unit: name, grams: grams, trust: 0.9, nil)
            }
            return made(
                unit.grams <= 100 ? plural(one) : one, unit: unit.name, grams: unit.grams,
                trust: Self.wholes.contains(unit.name) ? 0.82 : Portion.usual, "amount assumed")
        }
    }
}
