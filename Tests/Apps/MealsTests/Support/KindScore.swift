import Foundation
import Meals

/// A sentence of one kind of misreading and what was eaten, from `Corpora/Kinds`.
struct KindMeal: Decodable, Sendable {
    /// One food of the sentence.
    struct Item: Decodable, Sendable {
        /// In the writer's own words.
        let food: String
        let grams: Double
        /// Kilocalories in 100 g, from a food table; nil for a food that is in no table.
        let per100Grams: Double?

        private enum CodingKeys: String, CodingKey {
            case food, grams
            case per100Grams = "per_100_g"
        }

        var calories: Double { grams * (per100Grams ?? 0) / 100 }
    }

    let kind: String
    let text: String
    let items: [Item]
    /// The reader must not be sure: the sentence has an unknown food, or more of a food than a
    /// person eats.
    let doubtful: Bool
}

/// How well the parser reads sentences of each kind, and how far a client may trust it.
struct KindScore: CustomStringConvertible {
    /// Expected items.
    var items = 0
    /// Found items with a confidence of at least ``sure``.
    var sureItems = 0
    /// Sure items that are off by at least ``wrong``, and foods without a trace in sure meals.
    var falselySure = 0
    /// Meals that must be doubtful and are sure.
    var carefree = 0
    /// |found − eaten| / eaten of each meal's calories.
    var calorieErrors: [Double] = []
    /// The calorie errors by kind.
    var kinds: [String: [Double]] = [:]
    /// One line for each meal with an error, for tuning.
    var remarks: [String] = []

    /// The confidence from which a reading is sure.
    static let sure = 0.5
    /// The calorie error that a person would correct: a quarter.
    static let wrong = 0.25
    /// The fewest kilocalories that an error is a share of, so that a diet drink has a share too.
    private static let caloriesMin = 25.0

    /// Falsely sure items among 100 items.
    var falselySurePercent: Double {
        100 * Double(falselySure) / Double(max(items, 1))
    }

    static func quantile(_ share: Double, of errors: [Double]) -> Double {
        let sorted = errors.sorted()
        return sorted.isEmpty ? 1 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    var description: String {
        func percent(_ share: Double) -> String { "\((share * 1000).rounded() / 10) %" }
        let lines = kinds.sorted { $0.key < $1.key }.map { kind, errors in
            "  \(kind): median \(percent(Self.quantile(0.5, of: errors))), "
                + "mean \(percent(errors.reduce(0, +) / Double(errors.count)))"
        }
        return """
            \(calorieErrors.count) meals, \(items) items, \(sureItems) sure: calorie error median \
            \(percent(Self.quantile(0.5, of: calorieErrors))), p90 \
            \(percent(Self.quantile(0.9, of: calorieErrors))); sure and off \(falselySure) = \
            \(percent(falselySurePercent / 100)); sure of a doubtful meal \(carefree)
            """ + "\n" + lines.joined(separator: "\n")
    }

    init(of parser: LocalMealParser, on meals: [KindMeal]) {
        for meal in meals { add(meal, parsed: try? parser.parse(meal.text)) }
    }

    private static func error(_ found: Double, _ eaten: Double) -> Double {
        abs(found - eaten) / max(eaten, caloriesMin)
    }

    private mutating func add(_ meal: KindMeal, parsed: ParsedMeal?) {
        items += meal.items.count
        var left = Array(zip(parsed?.foods ?? [], parsed?.items ?? []))
        sureItems += left.filter { $0.1.confidence ?? 1 >= Self.sure }.count
        let isSure = parsed?.confidence ?? 0 >= Self.sure
        var faults: [String] = []
        for item in meal.items {
            let place = left.firstIndex { GoldenScore.isLike([item.food], $0, $1) }
            guard let place else {
                faults.append("missed \(item.food)")
                if isSure, item.calories >= Self.caloriesMin { falselySure += 1 }
                continue
            }
            let found = left.remove(at: place).1
            let error = Self.error(Double(found.calories), item.calories)
            guard error >= Self.wrong else { continue }
            let isSure = found.confidence ?? 1 >= Self.sure
            faults.append("\(isSure ? "SURE: " : "")\(item.food) \(Int(item.grams)) g")
            if isSure { falselySure += 1 }
        }
        for (food, item) in left {
            let isSure = item.confidence ?? 1 >= Self.sure
            faults.append("\(isSure ? "SURE: " : "")invented \(item.name) (\(food?.name ?? "?"))")
            if isSure, item.calories >= Int(Self.caloriesMin) { falselySure += 1 }
        }
        if meal.doubtful, isSure {
            carefree += 1
            faults.append("sure of it")
        }
        let eaten = meal.items.map(\.calories).reduce(0, +)
        let error = Self.error(Double(parsed?.totals.calories ?? 0), eaten)
        calorieErrors.append(error)
        kinds[meal.kind, default: []].append(error)
        guard !faults.isEmpty || error >= Self.wrong else { return }
        let read = (parsed?.items ?? []).map { item in
            "\(item.name) \(item.quantity) \(item.unit) \(item.grams ?? 0)g "
                + "\(item.calories)kcal c\(item.confidence ?? -1)"
        }
        remarks.append(
            "[\(meal.kind)] \(meal.text) => \(read) \(faults) for \(Int(eaten)), "
                + "confidence \(parsed?.confidence ?? -1)")
    }
}
