import Meals
import TestSupport
import Testing

/// How well the parser reads meals that people wrote. The scores are printed and compared with the
/// target.
struct GoldenTests {
    private let foods: [Food]
    private let parser: LocalMealParser

    init() throws {
        foods = try FoodFiles.foods()
        parser = LocalMealParser(foods: FoodIndex(foods))
    }

    private func score(_ name: String, _ meals: [GoldenMeal]) -> GoldenScore {
        let score = GoldenScore(of: parser, on: meals, foods: foods)
        print("\(name): \(score)")
        return score
    }

    @Test func `the golden set has at least 320 different meals of known foods`() throws {
        let meals = try FoodFiles.tuning() + FoodFiles.heldOut() + FoodFiles.late()
        #expect(meals.count >= 320)
        #expect(Set(meals.map(\.text)).count == meals.count)
        let held = try FoodFiles.heldOut()
        #expect(Double(held.count) >= Double(try FoodFiles.tuning().count) / 3)
        let names = Set(foods.map(\.name))
        for meal in meals {
            for name in meal.items.flatMap(\.names) {
                #expect(names.contains(name), "\(meal.text)")
            }
        }
    }

    @Test func `meals that the parser was tuned on are read well`() throws {
        let score = score("tuned on", try FoodFiles.tuning())
        #expect(score.precision >= 0.97)
        #expect(score.recall >= 0.97)
        #expect(score.medianCalorieError <= 0.1)
    }

    @Test func `meals that it was never tuned on are read as well`() throws {
        let score = score("held out", try FoodFiles.heldOut())
        #expect(score.precision >= 0.95)
        #expect(score.recall >= 0.95)
        #expect(score.medianCalorieError <= 0.1)
    }

    @Test func `noisy meals that were written later are read nearly as well`() throws {
        let score = score("written late", try FoodFiles.late())
        #expect(score.precision >= 0.9)
        #expect(score.recall >= 0.95)
        #expect(score.medianCalorieError <= 0.1)
    }

    @Test func `all meals together reach the target`() throws {
        let score = score(
            "golden set", try FoodFiles.tuning() + FoodFiles.heldOut() + FoodFiles.late())
        #expect(score.precision >= 0.95)
        #expect(score.recall >= 0.95)
        #expect(score.medianCalorieError <= 0.1)
    }

    @Test func `a parser that finds nothing or too much scores differently`() throws {
        let meals = try GoldenMeal.meals(in: "2 eggs => egg 100\ntoast => toast 26; ?qux\n")
        let one = GoldenScore(of: parser, on: meals, foods: foods)
        #expect(one.found == 2)
        #expect(one.missed == 1)
        #expect(one.invented == 0)
        let wrong = try GoldenMeal.meals(in: "2 eggs and toast => egg 50kcal\n")
        let two = GoldenScore(of: parser, on: wrong, foods: foods)
        #expect(two.invented == 1)
        #expect(two.precision == 0.5)
        #expect(two.medianCalorieError > 0.5)
        let blind = LocalMealParser(foods: FoodIndex([]))
        let none = GoldenScore(of: blind, on: meals, foods: foods)
        #expect(none.recall == 0)
        #expect(none.medianCalorieError == 1)
    }

    /// In processor time, so other load does not count.
    @Test(.timeLimit(.minutes(10))) func `a meal takes less than a millisecond`() throws {
        let meals = try FoodFiles.tuning() + FoodFiles.heldOut()
        var times: [Duration] = []
        for meal in meals + meals {
            times.append(ProcessorTime.measure { _ = try? parser.parse(meal.text) })
        }
        times.sort()
        let median = times[times.count / 2]
        print("a meal: median \(median), p99 \(times[times.count * 99 / 100])")
        #if DEBUG
        #expect(median < .milliseconds(20))
        #else
        #expect(median < .milliseconds(1))
        #endif
    }
}
