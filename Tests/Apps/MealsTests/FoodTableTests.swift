import Testing
import TextTables

@testable import Meals

struct FoodTableTests {
    private let foods: [Food]

    init() throws {
        foods = try FoodFiles.foods()
    }

    /// Foods whose energy comes from alcohol, or from carbohydrate that is hardly digested.
    private static let special: Set<String> = [
        "beer", "light beer", "hard cider", "hard seltzer", "red wine", "white wine", "champagne",
        "sangria", "vodka", "margarita", "gin and tonic", "bloody mary", "martini", "sake",
        "baileys",
        "aperol spritz", "sloe gin", "cocoa powder", "seaweed", "soju",
        "rum and coke", "jello shot",
    ]

    @Test func `there are at least 450 foods, drinks and water among them`() {
        #expect(foods.count >= 450)
        #expect(foods.filter { $0.type == .drink }.count >= 50)
        #expect(foods.contains { $0.type == .water })
        #expect(foods.contains { $0.nutrients.fiber == nil })
    }

    @Test func `energy agrees with the nutrients`() {
        for food in foods where !Self.special.contains(food.name) {
            let nutrients = food.nutrients
            let energy =
                4 * nutrients.protein + 4 * nutrients.carbohydrate + 9 * nutrients.fat
                - 2 * (nutrients.fiber ?? 0)
            let difference = abs(energy - nutrients.energy)
            #expect(difference <= max(15, 0.12 * nutrients.energy), "\(food.name): \(energy)")
        }
    }

    @Test func `no food's nutrients weigh more than the food`() {
        for food in foods {
            let nutrients = food.nutrients
            #expect(
                nutrients.protein + nutrients.carbohydrate + nutrients.fat <= 101, "\(food.name)")
            #expect((nutrients.sugar ?? 0) <= nutrients.carbohydrate + 0.3, "\(food.name)")
            #expect((nutrients.fiber ?? 0) <= nutrients.carbohydrate + 0.3, "\(food.name)")
        }
    }

    @Test func `every food has portions, each unit once`() {
        for food in foods {
            #expect(!food.units.isEmpty, "\(food.name)")
            #expect(Set(food.units.map(\.name)).count == food.units.count, "\(food.name)")
            #expect(food.units.allSatisfy { $0.grams > 0 && $0.grams <= 5000 }, "\(food.name)")
            #expect(food.density > 0.4 && food.density < 1.6, "\(food.name)")
        }
    }

    @Test func `no two foods have the same name`() {
        var owners: [String: String] = [:]
        for food in foods {
            for name in [food.name] + food.synonyms {
                #expect(owners[name] == nil, "\(name): \(owners[name] ?? ""), \(food.name)")
                owners[name] = food.name
            }
        }
    }

    @Test func `every food is found by its own name and most by every synonym`() throws {
        let parser = LocalMealParser(foods: FoodIndex(foods))
        var misses: [String] = []
        for food in foods {
            let own = try? parser.parse(food.name).foods
            #expect(own == [food], "\(food.name)")
            for synonym in food.synonyms where (try? parser.parse(synonym).foods) != [food] {
                misses.append("\(synonym) (\(food.name))")
            }
        }
        let names = foods.reduce(0) { $0 + $1.synonyms.count }
        print("\(names) synonyms, \(misses.count) not found: \(misses.prefix(20))")
        #expect(Double(misses.count) < 0.01 * Double(names))
    }

    private static func table(_ rows: String) throws(TableFault) -> TextTable {
        let form = FoodTable.form
        let header = "\(form.title)\n\(form.columns.joined(separator: "\t"))\n"
        return try TextTable(
            Array((header + rows.replacing("|", with: "\t")).utf8), of: form, file: "foods.tsv")
    }

    @Test(arguments: [
        ("a|b", "type"), ("|b|food|1|1|1|1||||", "name"), ("a|b|meat|1|1|1|1||||", "type"),
        ("a|b|food|x|1|1|1||||", "kcal"), ("a|b|food|1|1|1|||||", "fat"),
        ("a|b|food|1|1|1|1|-1|||", "fiber"), ("a|b|food|1|1|1|1|||nan|", "density"),
        ("a|b|food|1|1|1|1||||cup", "units"), ("a|b|food|1|1|1|1||||cup=0", "units"),
        ("egg||food|1001|1|1|1||||", "kcal"), ("egg||food|1|1|1|1\nEgg||food|1|1|1|1", "name"),
    ])
    func `an invalid row names its column`(rows: String, column: String) throws {
        let table = try Self.table("\n" + rows)
        let fault = try #require(throws: TableFault.self) { try FoodTable.foods(table) }
        #expect(fault.column == column)
        #expect(fault.line == 3 + rows.split(separator: "\n").count)
    }

    @Test func `foods are the same after printing and parsing`() throws {
        let text = FoodTable.text(foods)
        let table = try TextTable(Array(text.utf8), of: FoodTable.form, file: "foods.tsv")
        #expect(!table.extends)
        #expect(try FoodTable.foods(table) == foods)
    }

    // MARK: Tables of words

    @Test func `built-in tables of words are read, and no word has the same entry twice`() throws {
        let words = try MealWords(.builtIn)
        #expect(words.words.roles.count > 500)
        #expect(words.units.vessels["cup"] == 240)
        #expect(words.amounts[.size]["large"] == 1.35)
        for (table, key) in [
            (WordRoles.table, "role"), (AmountWords.table, "kind"), (DishWords.table, "list"),
        ] {
            var known: Set<[String]> = []
            for row in try TableFiles.builtIn.rows(of: table) {
                for word in row.words("words") {
                    #expect(known.insert([row.text(key), word]).inserted, "\(word)")
                }
            }
        }
        let units = try TableFiles.builtIn.rows(of: HouseholdUnits.table).map { $0.text("unit") }
        #expect(Set(units).count == units.count)
        let brands = try TableFiles.builtIn.rows(of: BrandList.table).map {
            $0.text("brand").split(separator: " ").map { Lemma.of(String($0)) }
        }
        #expect(Set(brands).count == brands.count)
    }

    @Test func `an unknown role is a fault`() throws {
        let rows = try TextTable(
            Array("sluice words 1\nrole\twords\nfoo\tbar".utf8), of: WordRoles.table.form,
            file: "words.tsv"
        ).rows
        let fault = #expect(throws: TableFault.self) { try WordRoles(rows) }
        #expect(fault?.line == 3)
        #expect(fault?.column == "role")
    }
}
