import Meals

/// How well a parser reads the golden set: tests check the score and `make bench` prints it.
struct GoldenScore: Sendable, CustomStringConvertible {
    /// Meals read.
    var meals = 0
    /// Items that were found and eaten.
    var found = 0
    /// Items that were found but not eaten.
    var invented = 0
    /// Items that were eaten but not found.
    var missed = 0
    /// |found − eaten| / eaten of each meal's calories, for meals with calories.
    var calorieErrors: [Double] = []
    /// Meals with a confidence of at least ``sure`` and an error of at least ``wrong``, or in which
    /// something was found though nothing was eaten.
    var falselySure = 0
    /// One line for each meal with an error, for tuning.
    var remarks: [String] = []

    /// The confidence from which a client shows no doubt.
    static let sure = 0.8
    /// The calorie error that a person would correct: a quarter.
    static let wrong = 0.25

    /// The share of found items that were eaten.
    var precision: Double {
        found + invented == 0 ? 0 : Double(found) / Double(found + invented)
    }

    /// The share of eaten items that were found.
    var recall: Double {
        found + missed == 0 ? 0 : Double(found) / Double(found + missed)
    }

    /// As a fraction: 0.1 is 10 %.
    var medianCalorieError: Double {
        quantile(0.5)
    }

    /// By nearest rank; 1 without meals.
    func quantile(_ share: Double) -> Double {
        let sorted = calorieErrors.sorted()
        guard !sorted.isEmpty else { return 1 }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    /// All figures on one line.
    var description: String {
        func percent(_ share: Double) -> String {
            "\((share * 1000).rounded() / 10) %"
        }
        return """
            \(meals) meals, \(found + missed) items: precision \(percent(precision)), \
            recall \(percent(recall)), calorie error median \(percent(medianCalorieError)), \
            p90 \(percent(quantile(0.9))), worst \(percent(calorieErrors.max() ?? 1)), \
            falsely sure \(falselySure)
            """
    }

    /// Reads every meal with the parser and compares the result.
    ///
    /// - Parameters:
    ///   - foods: The food table of the expected names and their energy.
    ///   - loosely: The names are the writer's own words and need only be similar to the table's.
    init(
        of parser: LocalMealParser, on golden: [GoldenMeal], foods: [Food], loosely: Bool = false
    ) {
        let table = Dictionary(foods.map { ($0.name, $0) }) { first, _ in first }
        let matches = loosely ? Self.isLike : Self.isCalled
        for meal in golden {
            add(meal, parsed: try? parser.parse(meal.text), table: table, matches: matches)
        }
    }

    private static func isCalled(_ names: [String], _ food: Food?, _ item: MealItem) -> Bool {
        names.isEmpty ? food == nil : food.map { names.contains($0.name) } == true
    }

    /// Whether the written words and some name share half of all their words, or the last word.
    static func isLike(_ names: [String], _ food: Food?, _ item: MealItem) -> Bool {
        func words(_ text: String) -> [String] {
            text.lowercased().split { !$0.isLetter }.map { word in
                String(word.hasSuffix("s") ? word.dropLast() : word)
            }
        }
        let expected = words(names.first ?? "")
        let found = ([item.name] + (food.map { [$0.name] + $0.synonyms } ?? [])).map(words)
        return found.contains { name in
            let common = Set(name).intersection(expected).count
            return 2 * common * 2 >= name.count + expected.count
                || name.last == expected.last || name.last == expected.first
        }
    }

    private mutating func add(
        _ meal: GoldenMeal, parsed: ParsedMeal?, table: [String: Food],
        matches: ([String], Food?, MealItem) -> Bool
    ) {
        meals += 1
        var left = Array(zip(parsed?.foods ?? [], parsed?.items ?? []))
        var wrong: [String] = []
        var eaten = 0.0
        for item in meal.items {
            let place = left.firstIndex { matches(item.names, $0, $1) }
            if let place {
                found += 1
                left.remove(at: place)
            } else {
                missed += 1
                wrong.append("missed \(item.names)")
            }
            eaten += calories(of: item, table: table)
        }
        invented += left.count
        wrong += left.map { "invented \($0.1.name) (\($0.0?.name ?? "unknown"))" }
        var error = 0.0
        if eaten >= 5 {
            error = abs(Double(parsed?.totals.calories ?? 0) - eaten) / eaten
            calorieErrors.append(error)
        }
        let isWrong = error >= Self.wrong || meal.items.isEmpty && parsed != nil
        if isWrong, parsed?.confidence ?? 0 >= Self.sure { falselySure += 1 }
        if !wrong.isEmpty || isWrong {
            let items = (parsed?.items ?? []).map { item in
                "\(item.name) \(item.quantity) \(item.unit) \(item.grams ?? 0)g"
            }
            remarks.append(
                "\(meal.text) => \(items) \(wrong) calories \(parsed?.totals.calories ?? 0) "
                    + "for \(Int(eaten)), confidence \(parsed?.confidence ?? 0)")
        }
    }

    private func calories(of item: GoldenMeal.Item, table: [String: Food]) -> Double {
        if let calories = item.calories { return calories }
        guard let name = item.names.first, let grams = item.grams else { return 0 }
        guard let food = table[name] else { preconditionFailure("BUG: no food \(name)") }
        return food.nutrients(grams: grams).energy
    }
}
