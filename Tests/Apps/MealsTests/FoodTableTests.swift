import Testing

@testable import Meals

struct FoodTableTests {
    private let foods: [Food]

    init() throws {
        foods = try FoodFiles.foods()
    }

    /// Their energy is of alcohol, or of carbohydrate that is hardly digested.
    private static let special: Set<String> = [
        "beer", "light beer", "hard cider", "hard seltzer", "red wine", "white wine", "champagne",
        "sangria", "vodka", "margarita", "gin and tonic", "bloody mary", "martini", "sake",
        "baileys",
        "aperol spritz", "sloe gin", "cocoa powder", "seaweed", "soju",
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

    @Test func `no food is heavier than itself`() {
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

    @Test func `no two foods are called the same`() {
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

    @Test(arguments: [
        ("a|b", 11), ("|b|food|1|1|1|1||||", 0), ("a|b|meat|1|1|1|1||||", 2),
        ("a|b|food|x|1|1|1||||", 3), ("a|b|food|1|1|1|||||", 6), ("a|b|food|1|1|1|1|-1|||", 7),
        ("a|b|food|1|1|1|1|||nan|", 9), ("a|b|food|1|1|1|1||||cup", 10),
        ("a|b|food|1|1|1|1||||cup=0", 10),
    ])
    func `a line that is no food names its column`(line: String, column: Int) {
        #expect(throws: FoodTable.Fault(line: 3, column: column)) {
            try FoodTable.foods(lines: [line[...]], firstLine: 3)
        }
    }

    @Test func `text without the markers is refused`() {
        #expect(throws: FoodTable.Fault.self) { try FoodTable.foods(migration: "select 1;\n") }
        #expect(throws: FoodTable.Fault.self) { try FoodTable.foods(migration: "($foods$\na|b\n") }
    }
}
