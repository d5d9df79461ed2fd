import Foundation
public import Meals

/// The foods of the migrations and the golden set, read from the sources' tree.
public enum FoodFiles {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Every food of the migrations.
    public static func foods() throws -> [Food] {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: root.appending(path: "sql").path())
        return try files.filter { $0.hasSuffix("foods.sql") }.sorted().flatMap {
            try FoodTable.foods(migration: text("sql/" + $0))
        }
    }

    /// Meals that the parser may be tuned on.
    public static func tuning() throws -> [GoldenMeal] {
        try GoldenMeal.meals(in: text("Tests/MealsTests/Golden/tuning.txt"))
    }

    /// Meals that it is only measured on.
    public static func heldOut() throws -> [GoldenMeal] {
        try GoldenMeal.meals(in: text("Tests/MealsTests/Golden/held-out.txt"))
    }

    /// Meals written after the tuning, noisier; only measured.
    public static func late() throws -> [GoldenMeal] {
        try GoldenMeal.meals(in: text("Tests/MealsTests/Golden/late.txt"))
    }

    /// The corpora beside the tests, `open.json` and whatever else lies there, by name without the
    /// ending: written by people who did not see the parser, in their own words for foods.
    public static func corpora() throws -> [(name: String, meals: [GoldenMeal])] {
        let directory = root.appending(path: "Tests/MealsTests/Corpora")
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
