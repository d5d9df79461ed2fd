import Foundation
import Meals
import TestSupport
import Testing
import TextTables

/// The foods of the migrations and the golden set, read from the source tree.
enum FoodFiles {
    private static let root = Project.directory

    /// Every food of the migrations. A food of a later step replaces one of the same name.
    static func foods() throws -> [Food] {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: root.appending(path: "sql").path())
        let foods = try files.filter { $0.hasSuffix("foods.sql") }.sorted().flatMap {
            try FoodTable.foods(table(ofMigration: text("sql/" + $0)))
        }
        let last = Dictionary(foods.map { ($0.name, $0) }) { _, later in later }
        return last.values.sorted { $0.name < $1.name }
    }

    /// The sentences of kinds of misreading: `open` for tuning, `kept` for measurement only.
    static func kinds(_ half: String) throws -> [KindMeal] {
        let path = "Tests/Apps/MealsTests/Corpora/Kinds/\(half).json"
        return try JSONDecoder().decode([KindMeal].self, from: Data(text(path).utf8))
    }

    /// The text between a migration's markers, with bars between the cells.
    private static func table(ofMigration text: String) throws -> TextTable {
        let parts = text.split(separator: "$foods$", omittingEmptySubsequences: false)
        let rows = try #require(parts.dropFirst().first).replacing("|", with: "\t")
        let form = FoodTable.form
        let header = "\(form.title)\n\(form.columns.joined(separator: "\t"))"
        return try TextTable(Array((header + rows).utf8), of: form, file: "foods.sql")
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
