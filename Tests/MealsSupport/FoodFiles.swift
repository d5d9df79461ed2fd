import Foundation
public import Meals

/// The foods of `sql/0009_foods.sql` and the golden set, read from the sources' tree.
public enum FoodFiles {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Every food of the migration.
    public static func foods() throws -> [Food] {
        try FoodTable.foods(migration: text("sql/0009_foods.sql"))
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

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
