public import Meals

/// How well a parser reads the golden set: what tests assert and `make bench` prints.
public struct GoldenScore: Sendable, CustomStringConvertible {
    /// Meals read.
    public private(set) var meals = 0
    /// Items found that were eaten.
    public private(set) var found = 0
    /// Items found that were not.
    public private(set) var invented = 0
    /// Items eaten that were not found.
    public private(set) var missed = 0
    /// |found − eaten| / eaten of each meal's calories, where some were eaten.
    public private(set) var calorieErrors: [Double] = []
    /// A line for each meal with something wrong, for tuning.
    public private(set) var remarks: [String] = []

    /// Of what was found, the share that was eaten.
    public var precision: Double {
        found + invented == 0 ? 0 : Double(found) / Double(found + invented)
    }

    /// Of what was eaten, the share that was found.
    public var recall: Double {
        found + missed == 0 ? 0 : Double(found) / Double(found + missed)
    }

    /// 0.1 is 10 %.
    public var medianCalorieError: Double {
        quantile(0.5)
    }

    /// Nearest rank; 1 for no meals.
    public func quantile(_ share: Double) -> Double {
        let sorted = calorieErrors.sorted()
        guard !sorted.isEmpty else { return 1 }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    /// One line.
    public var description: String {
        func percent(_ share: Double) -> String {
            "\((share * 1000).rounded() / 10) %"
        }
        return """
            \(meals) meals, \(found + missed) items: precision \(percent(precision)), \
            recall \(percent(recall)), calorie error median \(percent(medianCalorieError)), \
            p90 \(percent(quantile(0.9)))
            """
    }

    /// Reads every meal with the parser and compares.
    ///
    /// - Parameter foods: The table that the expected names and their energy are of.
    public init(of parser: LocalMealParser, on golden: [GoldenMeal], foods: [Food]) {
        let table = Dictionary(foods.map { ($0.name, $0) }) { first, _ in first }
        for meal in golden { add(meal, parsed: try? parser.parse(meal.text), table: table) }
    }

    private mutating func add(_ meal: GoldenMeal, parsed: ParsedMeal?, table: [String: Food]) {
        meals += 1
        var left = Array(zip(parsed?.foods ?? [], parsed?.items ?? []))
        var wrong: [String] = []
        var eaten = 0.0
        for item in meal.items {
            let place = left.firstIndex { food, _ in
                item.names.isEmpty ? food == nil : food.map { item.names.contains($0.name) } == true
            }
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
        if !wrong.isEmpty || error > 0.25 {
            let items = (parsed?.items ?? []).map { item in
                "\(item.name) \(item.quantity) \(item.unit) \(item.grams ?? 0)g"
            }
            remarks.append(
                "\(meal.text) => \(items) \(wrong) calories \(parsed?.totals.calories ?? 0) "
                    + "for \(Int(eaten))")
        }
    }

    private func calories(of item: GoldenMeal.Item, table: [String: Food]) -> Double {
        if let calories = item.calories { return calories }
        guard let name = item.names.first, let grams = item.grams else { return 0 }
        guard let food = table[name] else { preconditionFailure("BUG: no food \(name)") }
        return food.nutrients(grams: grams).energy
    }
}
