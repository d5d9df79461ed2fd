import Meals
import Testing

/// The rules of section B for values: totals, validation, status.
struct ValueTests {
    private static func item(
        _ energy: Double, fiber: Double? = nil, sugar: Double? = nil, protein: Double = 0
    ) -> MealItem {
        MealItem(
            name: "x", type: .food, quantity: 1, unit: "piece",
            nutrients: Nutrients(
                energy: energy, protein: protein, carbohydrate: 0, fat: 0, fiber: fiber,
                sugar: sugar),
            orderIndex: 0)
    }

    private static func draft() -> MealItemDraft {
        var draft = MealItemDraft()
        draft.name = "Apple"
        draft.quantity = 1
        draft.unit = "medium"
        draft.calories = 95
        draft.protein = 0.5
        draft.carbohydrate = 25
        draft.fat = 0.3
        return draft
    }

    @Test func `totals are the sums of the displayed figures`() {
        let totals = MealTotals([
            Self.item(200.4, protein: 14.04), Self.item(119.5, protein: 7.06),
            Self.item(130, protein: 7.55),
        ])
        #expect(totals.calories == 200 + 120 + 130)
        #expect(totals.protein == 28.7)
        let tenths = (0..<10).map { _ in Self.item(0, protein: 0.1) }
        #expect(MealTotals(tenths).protein == 1)
    }

    @Test func `fiber and sugar are null only if no item has them`() {
        #expect(MealTotals([Self.item(1), Self.item(1)]).fiber == nil)
        #expect(MealTotals([Self.item(1), Self.item(1, fiber: 0)]).fiber == 0)
        #expect(MealTotals([Self.item(1, sugar: 2.1), Self.item(1)]).sugar == 2.1)
        #expect(MealTotals([]).calories == 0)
        #expect(MealTotals([]).sugar == nil)
    }

    @Test func `figures are rounded half away from zero and never trap`() {
        #expect(Self.item(0.5).calories == 1)
        #expect(Self.item(.nan).calories == 0)
        #expect(Self.item(.infinity).calories > 0)
        #expect(Self.item(1, protein: 0.25).protein == 0.3)
        #expect(Self.item(1, protein: -.infinity).protein < 0)
    }

    @Test func `a manual item becomes an item as sent`() throws {
        let items = try MealItemDraft.validated([Self.draft()])
        #expect(items[0].name == "Apple")
        #expect(items[0].calories == 95)
        #expect(items[0].carbohydrate == 25)
        #expect(items[0].fiber == nil)
        #expect(items[0].confidence == nil)
        #expect(items[0].type == .food)
        #expect(items[0].orderIndex == 0)
    }

    @Test func `items are ordered by order_index, then as sent`() throws {
        var drafts = [Self.draft(), Self.draft(), Self.draft()]
        drafts[0].name = "c"
        drafts[0].orderIndex = 7
        drafts[1].name = "a"
        drafts[1].orderIndex = 2
        drafts[2].name = "b"
        let items = try MealItemDraft.validated(drafts)
        #expect(items.map(\.name) == ["a", "b", "c"])
        #expect(items.map(\.orderIndex) == [0, 1, 2])
    }

    private static let faults: [(String, @Sendable (inout MealItemDraft) -> Void, MealFault)] = [
        ("no name", { $0.name = nil }, .missing(field: "items[1].food_name")),
        ("blank name", { $0.name = " \n" }, .empty(field: "items[1].food_name")),
        (
            "long name", { $0.name = String(repeating: "é", count: 201) },
            .tooLong(field: "items[1].food_name", max: 200)
        ),
        ("NUL", { $0.name = "a\0b" }, .notText(field: "items[1].food_name")),
        (
            "wrong type", { $0.type = "soup" },
            .unknownValue(field: "items[1].food_type", allowed: ["food", "drink", "water"])
        ),
        ("no quantity", { $0.quantity = nil }, .missing(field: "items[1].quantity")),
        ("quantity 0", { $0.quantity = 0 }, .notPositive(field: "items[1].quantity")),
        ("rounded to 0", { $0.quantity = 0.004 }, .notPositive(field: "items[1].quantity")),
        ("NaN", { $0.quantity = .nan }, .notFinite(field: "items[1].quantity")),
        ("no unit", { $0.unit = nil }, .missing(field: "items[1].unit")),
        ("negative energy", { $0.calories = -1 }, .negative(field: "items[1].calories")),
        (
            "much energy", { $0.calories = 1e9 },
            .tooLarge(field: "items[1].calories", max: 100_000)
        ),
        ("infinite", { $0.calories = .infinity }, .notFinite(field: "items[1].calories")),
        ("negative protein", { $0.protein = -0.1 }, .negative(field: "items[1].protein_g")),
        ("no carbohydrate", { $0.carbohydrate = nil }, .missing(field: "items[1].carbs_g")),
        ("NaN fat", { $0.fat = .nan }, .notFinite(field: "items[1].fat_g")),
        ("negative fiber", { $0.fiber = -1 }, .negative(field: "items[1].fiber_g")),
        ("NaN sugar", { $0.sugar = .nan }, .notFinite(field: "items[1].sugar_g")),
        ("negative order", { $0.orderIndex = -1 }, .negative(field: "items[1].order_index")),
        (
            "no UUID", { $0.foodID = "7" },
            .notID(field: "items[1].food_id")
        ),
    ]

    @Test(arguments: Self.faults.indices)
    func `a wrong field is named`(place: Int) {
        let (name, change, fault) = Self.faults[place]
        var wrong = Self.draft()
        change(&wrong)
        #expect(throws: fault, "\(name)") { try MealItemDraft.validated([Self.draft(), wrong]) }
        #expect(fault.field.hasPrefix("items[1]."))
    }

    @Test func `no items and too many are refused`() {
        let fault = MealFault.itemCount(field: "items", max: Meals.itemsMax)
        #expect(throws: fault) { try MealItemDraft.validated([]) }
        #expect(throws: fault) {
            try MealItemDraft.validated(Array(repeating: Self.draft(), count: Meals.itemsMax + 1))
        }
    }

    @Test func `a text has 1 to 1000 characters that are not all blank`() throws {
        #expect(try MealText("x").text == "x")
        #expect(try MealText(String(repeating: "x", count: 1000)).text.count == 1000)
        #expect(throws: MealFault.tooLong(field: "raw_input", max: 1000)) {
            try MealText(String(repeating: "x", count: 1001))
        }
        #expect(throws: MealFault.missing(field: "raw_input")) { try MealText(nil) }
        #expect(throws: MealFault.empty(field: "raw_input")) { try MealText(" \n\t\u{3000}") }
        #expect(throws: MealFault.notText(field: "raw_input")) { try MealText("a\0") }
    }

    @Test func `meal types and statuses are those of the contract`() throws {
        #expect(MealType.allCases.map(\.rawValue) == ["breakfast", "lunch", "dinner", "snack"])
        #expect(try MealType(validating: "snack", field: "meal_type") == .snack)
        #expect(throws: MealFault.missing(field: "meal_type")) {
            try MealType(validating: nil, field: "meal_type")
        }
        #expect(throws: MealFault.self) { try MealType(validating: "Snack", field: "meal_type") }
        #expect(throws: MealFault.self) { try MealStatus(validating: "done", field: "status") }
    }

    @Test func `a meal's confidence depends most on the items with the most energy`() throws {
        var sure = Self.item(900)
        sure.confidence = 0.9
        var unsure = Self.item(0)
        unsure.confidence = 0.4
        let meal = ParsedMeal(items: [sure, unsure], foods: [nil, nil])
        #expect(meal.confidence == 0.9)
        // An unknown food may be most of the meal.
        unsure.confidence = 0.1
        #expect(ParsedMeal(items: [sure, unsure], foods: [nil, nil]).confidence == 0.1)
        #expect(meal.totals.calories == 900)
        #expect(ParsedMeal(items: [Self.item(1)], foods: [nil]).confidence == nil)
    }
}
