import Meals
import MealsSupport

/// How well the local parser reads the golden set, beside the aims.
struct GoldenGoals {
    private let scores: [(name: String, score: GoldenScore)]

    /// Reads every meal, which takes less than a second.
    init() throws {
        let foods = try FoodFiles.foods()
        let parser = LocalMealParser(foods: FoodIndex(foods))
        let sets = [
            ("tuned on", try FoodFiles.tuning()), ("held out", try FoodFiles.heldOut()),
            ("written late", try FoodFiles.late()),
        ]
        let all = [("all", sets.flatMap(\.1))] + sets
        scores = all.map { name, meals in
            (name, GoldenScore(of: parser, on: meals, foods: foods))
        }
    }

    /// Of all meals together; the remark tells what they are of each part of the set.
    func rows() -> [GoalOutcome] {
        [
            row("precision of items", .atLeast, 95, \.precision),
            row("recall of items", .atLeast, 95, \.recall),
            row("median calorie error", .atMost, 10, \.medianCalorieError),
        ]
    }

    private func row(
        _ name: String, _ direction: GoalOutcome.Direction, _ goal: Double,
        _ figure: (GoldenScore) -> Double
    ) -> GoalOutcome {
        let parts = scores.dropFirst().map { part in
            "\(part.name) \(Figures.percent(figure(part.score)))"
        }
        let all = scores[0].score
        return GoalOutcome(
            name: "meals of the golden set, \(name)", unit: "%", direction: direction, goal: goal,
            values: [figure(all) * 100],
            remark: "\(all.meals) meals, \(all.found + all.missed) items; "
                + parts.joined(separator: ", "))
    }
}
