import Foundation
import Postgres
import TestSupport
import Testing

@testable import Meals

/// Foods that users enter, the food search, and imports.
@Suite(.timeLimit(.minutes(10)))
struct FoodQueriesTests {
    let rig: MealRig

    private struct Foods: Codable {
        struct Body: Codable {
            let data: Foods
        }

        let userFoods: [Entry]?
        let foods: [Entry]?
        let totalCount: Int?
        let hasMore: Bool?
    }

    private struct Entry: Codable {
        struct Unit: Codable {
            let name: String
            let grams: Double
        }

        struct Body: Codable {
            let data: Entry
        }

        let id: String
        let source: String
        let name: String
        let calories: Double
        let fiberG: Double?
        let units: [Unit]
        let synonyms: [String]
    }

    init() throws {
        rig = try MealRig()
    }

    private static func request(_ name: String, calories: Int = 100) throws -> UserFoodRequest {
        let body = """
            {"name":"\(name)","synonyms":["\(name) deluxe"],"calories":\(calories),"protein_g":1.25,
            "carbs_g":1,"fat_g":1,"sugar_g":0,"density":1.1,"units":[{"name":"Bar","grams":40.5}]}
            """
        return try MealRig.bytes(body) { body throws(MealFault) in try UserFoodRequest(body) }
    }

    private func entry(_ answer: UserFoodAnswer) throws -> Entry {
        guard case .done(let json) = answer else { throw MealRig.Gone() }
        return try ClientMeal.decoder.decode(Entry.Body.self, from: Data(json.utf8)).data
    }

    private func foods(_ json: String) throws -> Foods {
        try ClientMeal.decoder.decode(Foods.Body.self, from: Data(json.utf8)).data
    }

    @Test func `only its user can enter, read, change and remove a food`() throws {
        let connection = rig.connection
        let new = try entry(
            FoodQueries.create(Self.request("Energy bar"), forUser: "ann", on: connection))
        #expect(new.source == "user")
        #expect(new.units.map(\.name) == ["bar"])
        #expect(new.units.map(\.grams) == [40.5])
        #expect(new.synonyms == ["Energy bar deluxe"])
        #expect(new.fiberG == nil)
        #expect(
            try FoodQueries.create(Self.request("ENERGY BAR"), forUser: "ann", on: connection)
                == .nameTaken)
        let other = try entry(
            FoodQueries.create(Self.request("Energy bar"), forUser: "bob", on: connection))
        #expect(try FoodQueries.food(other.id, ofUser: "ann", on: connection) == .foreign)
        #expect(
            try FoodQueries.replace(
                other.id, with: Self.request("x"), byUser: "ann", on: connection) == .foreign)
        #expect(try FoodQueries.delete(other.id, byUser: "ann", on: connection) == .foreign)
        let changed = try entry(
            FoodQueries.replace(
                new.id, with: Self.request("Oat bar", calories: 300), byUser: "ann",
                on: connection))
        #expect(changed.name == "Oat bar")
        #expect(changed.calories == 300)
        #expect(try FoodQueries.delete(new.id, byUser: "ann", on: connection) == .done(json: ""))
        #expect(try FoodQueries.delete(new.id, byUser: "ann", on: connection) == .notFound)
        #expect(try FoodQueries.food("1", ofUser: "ann", on: connection) == .notFound)
        #expect(try entry(FoodQueries.food(other.id, ofUser: "bob", on: connection)).id == other.id)
    }

    @Test func `a name in use stays with its food`() throws {
        let connection = rig.connection
        _ = try FoodQueries.create(Self.request("Soup"), forUser: "ann", on: connection)
        let stew = try entry(
            FoodQueries.create(Self.request("Stew"), forUser: "ann", on: connection))
        #expect(
            try FoodQueries.replace(
                stew.id, with: Self.request("soup"), byUser: "ann", on: connection) == .nameTaken)
    }

    @Test func `no user enters more than the limit`() throws {
        try rig.connection.execute(
            """
            insert into sluice.user_food (
                user_id, name, energy_kcal, protein_g, carbs_g, fat_g)
            select 'ann', 'food ' || i, 1, 1, 1, 1 from generate_series(1, \(Meals.userFoodsMax)) i
            """)
        #expect(
            try FoodQueries.create(Self.request("Soup"), forUser: "ann", on: rig.connection)
                == .tooMany)
        _ = try entry(
            FoodQueries.create(Self.request("Soup"), forUser: "bob", on: rig.connection))
    }

    @Test func `own foods are listed by name, and found by a part or a misspelling`() throws {
        let connection = rig.connection
        for name in ["Tofu stew", "Energy bar", "100% juice"] {
            _ = try FoodQueries.create(Self.request(name), forUser: "ann", on: connection)
        }
        func names(_ query: [String: String]) throws -> [String] {
            let list = try foods(
                FoodQueries.foods(try FoodFilter { query[$0] }, ofUser: "ann", on: connection))
            return list.userFoods?.map(\.name) ?? []
        }
        #expect(try names([:]) == ["100% juice", "Energy bar", "Tofu stew"])
        #expect(try names(["limit": "1", "page": "2"]) == ["Energy bar"])
        #expect(try names(["search": "STEW"]) == ["Tofu stew"])
        #expect(try names(["q": "enrgy bar"]) == ["Energy bar"])
        #expect(try names(["search": "100%"]) == ["100% juice"])
        #expect(try names(["search": "%"]) == ["100% juice"])
        #expect(try names(["search": "xyzzy"]) == [])
    }

    @Test func `common foods are found, own ones first`() throws {
        let connection = rig.connection
        _ = try FoodQueries.create(Self.request("Chicken pie"), forUser: "ann", on: connection)
        func found(_ text: String, _ user: String) throws -> [Entry] {
            let query = ["search": text, "limit": "5"]
            return try foods(
                FoodQueries.search(try FoodFilter { query[$0] }, forUser: user, on: connection)
            ).foods ?? []
        }
        let hers = try found("chicken", "ann")
        #expect(hers.first?.source == "user")
        #expect(hers.count == 5)
        #expect(try found("chicken", "bob").allSatisfy { $0.source == "typical" })
        #expect(try found("chiken brest", "bob").first?.name == "chicken breast")
        #expect(try found("x' or '1'='1", "bob").count == 0)
    }

    @Test func `without trigrams foods are found by parts of their names`() throws {
        try rig.connection.execute("drop extension pg_trgm cascade")
        try rig.connection.execute(
            "alter function sluice.use_trigrams rename to old_use_trigrams")
        // As with a role that may not create extensions.
        let source = try rig.strings(
            "select pg_get_functiondef('sluice.old_use_trigrams'::regproc)")[0]
        try rig.connection.execute(
            source.replacing("old_use_trigrams", with: "use_trigrams")
                .replacing("create extension pg_trgm", with: "create extension no_such_thing"))
        let isThere = try rig.connection.query("select sluice.use_trigrams()").bool(0, 0)
        #expect(!isThere)
        let query = ["search": "Yogurt"]
        let list = try foods(
            FoodQueries.search(try FoodFilter { query[$0] }, forUser: "ann", on: rig.connection))
        #expect((list.foods ?? []).count > 2)
        // Later an operator creates the extension.
        #expect(try rig.connection.query("select sluice.old_use_trigrams()").bool(0, 0))
        #expect(
            try rig.strings(
                "select indexname from pg_indexes where indexname like '%food_terms' order by 1")
                == ["food_terms", "user_food_terms"])
    }

    // MARK: Imports

    private static func imported() throws -> [ImportedFood] {
        let directory = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "FoodData")
        return try FoodImport().foods(in: FoodDataDirectory(path: directory.path())).foods
    }

    @Test func `an import is written once, and again only what changed`() throws {
        let foods = try Self.imported()
        let connection = rig.connection
        var told: [Int] = []
        var tally = try FoodStore.write(foods, on: connection) { told.append($0) }
        #expect((tally.new, tally.changed, tally.same) == (foods.count, 0, 0))
        #expect(told == [foods.count])
        tally = try FoodStore.write(foods + foods, on: connection)
        #expect((tally.new, tally.changed, tally.same) == (0, 0, foods.count))
        try connection.execute(
            "update sluice.food set energy_kcal = 1 where fdc_id = \(foods[0].fdcID)")
        tally = try FoodStore.write(foods, on: connection)
        #expect((tally.new, tally.changed, tally.same) == (0, 1, foods.count - 1))
        #expect(
            try rig.strings("select count(*)::text from sluice.food where source = 'fdc'")
                == ["\(foods.count)"])
    }

    @Test func `a new database has the foods of the table`() throws {
        let foods = try FoodFiles.foods()
        let tally = try FoodStore.writeTypical(foods, extends: false, on: rig.connection)
        #expect((tally.new, tally.changed, tally.same) == (0, 0, foods.count))
        #expect(tally.removed == 0)
    }

    @Test func `a table adds and changes typical foods, and removes them where it replaces`()
        throws
    {
        let connection = rig.connection
        let ids =
            "select food_id::text || name from sluice.food where source = 'typical' order by 1"
        let before = try rig.strings(ids)
        let foods = try FoodStore.typical(on: connection)
        #expect(foods.count == before.count)
        var tally = try FoodStore.writeTypical(foods, extends: false, on: connection)
        #expect((tally.new, tally.changed, tally.same) == (0, 0, foods.count))
        #expect(tally.removed == 0)
        #expect(try rig.strings(ids) == before)

        var egg = try #require(foods.first { $0.name == "egg" })
        egg.nutrients.energy = 150
        let own = Food(
            name: "zorbaloon", nutrients: egg.nutrients,
            units: [HouseholdUnit(name: "piece", grams: 12.5)])
        tally = try FoodStore.writeTypical([egg, own], extends: true, on: connection)
        #expect((tally.new, tally.changed, tally.same) == (1, 1, 0))
        #expect(tally.removed == 0)
        _ = try FoodStore.write(try Self.imported(), on: connection)
        tally = try FoodStore.writeTypical([egg], extends: false, on: connection)
        #expect((tally.new, tally.changed, tally.same) == (0, 0, 1))
        #expect(tally.removed == foods.count)
        #expect(try FoodStore.typical(on: connection).map(\.name) == ["egg"])
        #expect(
            try rig.strings("select count(*)::text from sluice.food where source = 'fdc'")
                == ["\(try Self.imported().count)"])

        tally = try FoodStore.writeTypical(foods, extends: false, on: connection)
        #expect(try rig.strings(ids) == before)
    }

    @Test func `typical foods keep their names and synonyms beside imported ones`() throws {
        try rig.connection.execute(
            """
            insert into sluice.food (
                name, food_type, energy_kcal, protein_g, carbs_g, fat_g, source, fdc_id)
            values ('egg', 'food', 999, 1, 1, 1, 'fdc', 1), ('frittata', 'food', 999, 1, 1, 1, 'fdc', 2),
                ('zorbaloon', 'food', 100, 1, 1, 1, 'fdc', 3)
            """)
        let (_, index) = try StoredFoods.everybodys(on: rig.connection)
        let parser = LocalMealParser(foods: index)
        func energy(_ text: String) throws -> Double? {
            try parser.parse(text).foods[0]?.nutrients.energy
        }
        #expect(try energy("1 egg") != 999)
        #expect(try energy("1 frittata") != 999)
        #expect(try energy("1 zorbaloon") == 100)
    }
}
