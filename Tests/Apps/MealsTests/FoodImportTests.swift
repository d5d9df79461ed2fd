import Foundation
import Testing

@testable import Meals

/// Files in the form that FoodData Central publishes.
struct FoodImportTests {
    /// Files in memory, returned in chunks of a given size.
    private struct Texts: FoodDataFiles {
        var texts: [String: String]
        var chunk = 1 << 20

        func read(
            _ name: String, _ take: ([UInt8]) throws(FoodImportFault) -> Void
        ) throws(FoodImportFault) {
            guard let text = texts[name] else { throw .fileMissing(name: name) }
            var bytes = Array(text.utf8)[...]
            while !bytes.isEmpty {
                try take(Array(bytes.prefix(chunk)))
                bytes = bytes.dropFirst(chunk)
            }
        }
    }

    private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "FoodData")

    private static func texts() throws -> Texts {
        var texts: [String: String] = [:]
        for name in ["food", "nutrient", "food_nutrient", "food_portion", "measure_unit"] {
            texts["\(name).csv"] = try String(
                contentsOf: directory.appending(path: "\(name).csv"), encoding: .utf8)
        }
        return Texts(texts: texts)
    }

    private static func food(_ report: FoodImportReport, _ id: Int64) throws -> Food {
        try #require(report.foods.first { $0.fdcID == id }).food
    }

    @Test func `foods are read from a directory with energy, nutrients and portions`() throws {
        let files = FoodDataDirectory(path: Self.directory.path())
        let report = try FoodImport().foods(in: files)
        #expect(report.foods.map(\.fdcID) == [900_001, 900_002, 900_003, 900_005, 900_007])
        let cheddar = try Self.food(report, 900_001)
        #expect(cheddar.name == "cheese, cheddar")
        #expect(cheddar.synonyms == ["cheddar cheese"])
        #expect(cheddar.nutrients.energy == 403)
        #expect(cheddar.nutrients.fat == 33.31)
        #expect(cheddar.nutrients.sugar == 0.48)
        #expect(cheddar.grams(of: "cup") == 132)
        #expect(cheddar.grams(of: "slice") == 28)
        #expect(cheddar.units.map(\.name) == ["cup", "slice"])
    }

    @Test func `energy is taken from the best of its forms`() throws {
        let report = try FoodImport().foods(in: Self.texts())
        #expect(try Self.food(report, 900_002).nutrients.energy == 468)
        #expect(abs(try Self.food(report, 900_007).nutrients.energy - 884.08) < 0.01)
        #expect(try Self.food(report, 900_002).nutrients.sugar == 0.9)
        #expect(try Self.food(report, 900_005).nutrients.fiber == nil)
    }

    @Test func `surveys use other nutrient numbers and portions in words`() throws {
        let oatmeal = try Self.food(FoodImport().foods(in: Self.texts()), 900_003)
        #expect(oatmeal.nutrients.energy == 69)
        #expect(oatmeal.nutrients.fiber == 1.7)
        #expect(oatmeal.grams(of: "cup") == 240)
        #expect(oatmeal.grams(of: "serving") == 300)
        #expect(oatmeal.grams(of: "large") == 400)
    }

    @Test func `portions are of one unit, and drinks have a density`() throws {
        let report = try FoodImport().foods(in: Self.texts())
        #expect(try Self.food(report, 900_002).grams(of: "piece") == 3.5)
        let almond = try Self.food(report, 900_005)
        #expect(almond.type == .drink)
        #expect(abs(almond.density - 262.0 / 240) < 1e-9)
    }

    @Test func `incomplete or impossible foods are left out and counted`() throws {
        let report = try FoodImport().foods(in: Self.texts())
        #expect(report.leftOut == [.energyMissing: 1, .nutrientMissing: 1, .implausible: 1])
        var branded = FoodImport()
        branded.kinds = ["branded_food"]
        #expect(try branded.foods(in: Self.texts()).foods.map(\.fdcID) == [900_004])
    }

    @Test func `chunks of any size give the same foods`() throws {
        var texts = try Self.texts()
        let whole = try FoodImport().foods(in: texts)
        for chunk in [1, 2, 3, 7, 64] {
            texts.chunk = chunk
            let report = try FoodImport().foods(in: texts)
            #expect(report.foods == whole.foods)
            #expect(report.rows == whole.rows)
        }
    }

    @Test func `imported foods are found in a sentence`() throws {
        let report = try FoodImport().foods(in: Self.texts())
        let parser = LocalMealParser(foods: FoodIndex(report.foods.map(\.food)))
        let item = try parser.parse("2 slices of cheddar cheese").items[0]
        #expect(item.grams == 56)
        #expect(item.calories == 226)
    }

    @Test func `faults are named`() throws {
        let texts = try Self.texts()
        var missing = texts
        missing.texts["food.csv"] = nil
        #expect(throws: FoodImportFault.fileMissing(name: "food.csv")) {
            try FoodImport().foods(in: missing)
        }
        #expect(throws: FoodImportFault.fileMissing(name: "nutrient.csv")) {
            try FoodImport().foods(in: FoodDataDirectory(path: "/nonexistent"))
        }
        var column = texts
        column.texts["food.csv"] = "\"fdc_id\",\"description\"\n"
        #expect(throws: FoodImportFault.columnMissing(name: "food.csv", column: "data_type")) {
            try FoodImport().foods(in: column)
        }
        var empty = texts
        empty.texts["food.csv"] = ""
        #expect(throws: FoodImportFault.columnMissing(name: "food.csv", column: "fdc_id")) {
            try FoodImport().foods(in: empty)
        }
        var other = texts
        other.texts["nutrient.csv"] = "\"id\",\"nutrient_nbr\"\n\"1\",\"999\"\n"
        #expect(throws: FoodImportFault.nutrientsMissing) { try FoodImport().foods(in: other) }
        var open = texts
        open.texts["food.csv"]? += "\"900011\",\"sr_legacy_food\",\"never closed\n"
        #expect(throws: FoodImportFault.malformed(name: "food.csv", line: 12)) {
            try FoodImport().foods(in: open)
        }
        var few = FoodImport()
        few.foodsMax = 2
        #expect(throws: FoodImportFault.tooManyFoods(max: 2)) { try few.foods(in: texts) }
        var units = texts
        units.texts["measure_unit.csv"] = nil
        #expect(try FoodImport().foods(in: units).foods.count == 5)
    }
}
