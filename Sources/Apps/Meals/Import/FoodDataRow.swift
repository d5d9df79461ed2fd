/// A food whose files are still being read.
struct FoodDataRow {
    struct Incomplete: Error {
        let reason: FoodImportReport.Reason
    }

    let fdcID: Int64
    let description: String
    private var amounts: [(rank: Int, value: Double)?]
    private var units: [HouseholdUnit] = []

    /// Units of one food; a row of FNDDS has up to a dozen.
    private static let unitsMax = 24
    private static let nameMax = 200

    init(fdcID: Int64, description: String) {
        self.fdcID = fdcID
        self.description = description
        amounts = Array(repeating: nil, count: FoodDataNutrient.Kind.allCases.count)
    }

    mutating func set(_ nutrient: FoodDataNutrient, _ amount: Double) {
        let place = nutrient.kind.rawValue
        if let known = amounts[place], known.rank <= nutrient.rank { return }
        amounts[place] = (nutrient.rank, amount * nutrient.factor)
    }

    /// Keeps a portion if its unit is a household unit. The first portion of a unit wins.
    mutating func addPortion(texts: [String], amount: Double, grams: Double) {
        guard units.count < Self.unitsMax else { return }
        for text in texts {
            guard let (unit, said) = Self.unit(text) else { continue }
            let one = grams / (said ?? amount)
            guard one.isFinite, one > 0, one < Portion.gramsMax else { return }
            if !units.contains(where: { $0.name == unit }) {
                units.append(HouseholdUnit(name: unit, grams: one))
            }
            return
        }
    }

    /// "1 cup, chopped" → cup, 1; "large" → large; "Quantity not specified" → serving.
    private static func unit(_ text: String) -> (unit: String, amount: Double?)? {
        if text.hasPrefix("Quantity not specified") || text == "RACC" { return ("serving", nil) }
        var amount: Double?
        for token in Tokenizer.tokens(of: text) {
            switch token.kind {
            case .number(let value, _):
                if amount == nil, value > 0 { amount = value }
            case .word:
                let word = Measure.sameAs[token.lemma] ?? token.lemma
                if Measure.measured[word] != nil || word == "fl" || word == "cubic" { return nil }
                let isUnit =
                    Measure.vessels[word] != nil || Measure.pieces[word] != nil
                    || ["small", "medium", "large", "piece", "serving", "fruit"].contains(word)
                if isUnit { return (word == "fruit" ? "piece" : word, amount) }
            default:
                return nil
            }
        }
        return nil
    }

    func result() -> Result<ImportedFood, Incomplete> {
        func amount(_ kind: FoodDataNutrient.Kind) -> Double? {
            amounts[kind.rawValue]?.value
        }
        let name = String(description.lowercased().prefix(Self.nameMax))
        guard name.contains(where: \.isLetter) else { return .failure(.init(reason: .nameMissing)) }
        guard let energy = amount(.energy) else { return .failure(.init(reason: .energyMissing)) }
        guard let protein = amount(.protein), let carbohydrate = amount(.carbohydrate),
            let fat = amount(.fat)
        else { return .failure(.init(reason: .nutrientMissing)) }
        let most =
            [protein, carbohydrate, fat, amount(.fiber) ?? 0, amount(.sugar) ?? 0].max() ?? 0
        guard energy <= 1000, most <= 100 else { return .failure(.init(reason: .implausible)) }
        let type = Self.type(name)
        let cup = units.first { $0.name == "cup" }?.grams
        let food = Food(
            name: name, synonyms: Self.synonyms(name), type: type,
            nutrients: Nutrients(
                energy: energy, protein: protein, carbohydrate: carbohydrate, fat: fat,
                fiber: amount(.fiber), sugar: amount(.sugar)),
            density: type == .food ? 1 : cup.map { $0 / 240 } ?? 1, units: units)
        return .success(ImportedFood(fdcID: fdcID, food: food))
    }

    /// A further name: "cheese, cheddar" is also "cheddar cheese".
    private static func synonyms(_ name: String) -> [String] {
        let parts = name.split(separator: ",").map { part in
            String(part.drop { $0 == " " })
        }
        guard parts.count >= 2 else { return [] }
        return [parts[1] + " " + parts[0]]
    }

    private static func type(_ name: String) -> FoodType {
        if name.hasPrefix("water,") || name.hasPrefix("beverages, water") || name == "water" {
            return .water
        }
        let drinks = [
            "beverages,", "alcoholic beverage", "milk,", "coffee,", "tea,", "wine,", "beer,",
            "soft drink", "fruit juice drink", "orange juice", "apple juice", "soda,",
        ]
        return drinks.contains(where: name.hasPrefix) ? .drink : .food
    }
}
