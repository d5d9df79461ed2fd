import Foundation
import Meals
import TestSupport
import Testing
import TextTables

/// The typical foods and the golden set, read from the source tree.
enum FoodFiles {
    private static let root = Project.directory

    /// The foods that a new database has, by name.
    static func foods() throws -> [Food] {
        let bytes = Array(try text("sql/foods.tsv").utf8)
        let table = try TextTable(bytes, of: FoodTable.form, file: "foods.tsv")
        return try FoodTable.foods(table).sorted { $0.name < $1.name }
    }

    /// The sentences of kinds of misreading: `open` and `later` for tuning, `kept` for measurement
    /// only.
    static func kinds(_ half: String) throws -> [KindMeal] {
        let path = "Tests/Apps/MealsTests/Corpora/Kinds/\(half).json"
        return try JSONDecoder().decode([KindMeal].self, from: Data(text(path).utf8))
    }

    /// Meals for tuning the parser.
    static func tuning() throws -> [GoldenMeal] {
        try GoldenMeal.meals(in: text("Tests/Apps/MealsTests/Golden/tuning.txt"))
    }

    /// Meals for measurement only.
    static func heldOut() throws -> [GoldenMeal] {
        try GoldenMeal.meals(in: text("Tests/Apps/MealsTests/Golden/held-out.txt"))
    }

    /// Meals written after the tuning, with more noise; for measurement only.
    static func late() throws -> [GoldenMeal] {
        try GoldenMeal.meals(in: text("Tests/Apps/MealsTests/Golden/late.txt"))
    }

    /// The corpora beside the tests, by file name without the ending: `open.json` and any others.
    /// People who had not seen the parser wrote them, in their own words for foods.
    static func corpora() throws -> [(name: String, meals: [GoldenMeal])] {
        let directory = root.appending(path: "Tests/Apps/MealsTests/Corpora")
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path())
        return try files.filter { $0.hasSuffix(".json") }.sorted().map { file in
            let json = try Data(contentsOf: directory.appending(path: file))
            return (String(file.dropLast(5)), try GoldenMeal.meals(json: json))
        }
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
