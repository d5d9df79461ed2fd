import Foundation
import Postgres
import Readings
import TestSupport
import Testing

@testable import Meals

/// Reading, listing, editing and deleting logs.
@Suite(.timeLimit(.minutes(10)))
struct MealQueriesTests {
    let rig: MealRig

    init() throws {
        rig = try MealRig()
    }

    private func edit(_ body: String, second: Int64 = 60) throws -> MealEdit {
        try MealRig.bytes(body) { body throws(MealFault) in
            try MealEdit(body, now: MealRig.later(second))
        }
    }

    @Test func `a log belongs to its user only`() throws {
        let meal = try MealRig.natural("2 eggs")
        try rig.store(meal)
        #expect(try rig.log(meal.id, user: "bob") == .foreign)
        #expect(try rig.log(meal.id.uppercased()) != .notFound)
        #expect(try rig.log("00000000-0000-4000-8000-000000000000") == .notFound)
        #expect(try rig.log("x' or true --") == .notFound)
        let edit = try edit("{\"items\":[\(MealRig.item())]}")
        #expect(
            try MealQueries.replace(
                meal.id, with: edit, byUser: "bob", now: MealRig.noon, on: rig.connection)
                == .foreign)
        #expect(try MealQueries.delete(meal.id, byUser: "bob", on: rig.connection) == .foreign)
        #expect(try rig.clientLog(meal.id).rawInput == "2 eggs")
        #expect(try rig.list(user: "bob").totalCount == 0)
        #expect(
            try MealQueries.replace(
                MealID.make(), with: edit, byUser: "bob", now: MealRig.noon, on: rig.connection)
                == .notFound)
        #expect(
            try MealQueries.delete(MealID.make(), byUser: "bob", on: rig.connection) == .notFound)
    }

    @Test func `an edit replaces the items and their sums`() async throws {
        let meal = try MealRig.natural("2 eggs")
        try rig.store(meal)
        try await rig.run(meal)
        let before = try rig.clientLog(meal.id)
        let edit = try edit(
            """
            {"meal_type":"breakfast","logged_at":"2026-01-22T08:00:00Z","items":[
            \(MealRig.item("Tea", calories: "2", more: ",\"food_type\":\"drink\",\"order_index\":9")),
            \(MealRig.item("Toast", calories: "80", more: ",\"order_index\":1"))]}
            """)
        let answer = try MealQueries.replace(
            meal.id, with: edit, byUser: "ann", now: MealRig.later(60), on: rig.connection)
        guard case .done(let json) = answer else {
            Issue.record("\(answer)")
            return
        }
        let log = try ClientMeal.decode(body: json)
        #expect(log.items.map(\.foodName) == ["Toast", "Tea"])
        #expect(log.items.map(\.orderIndex) == [0, 1])
        #expect(log.totalCalories == 82)
        #expect(log.mealType == "breakfast")
        #expect(log.status == "completed")
        #expect(log.confidenceScore == nil)
        #expect(log.rawInput == "2 eggs")
        #expect(log.createdAt == before.createdAt)
        #expect(log.updatedAt == before.createdAt.addingTimeInterval(60))
        // The earlier result is out of date.
        #expect(try rig.results() == [])
    }

    @Test func `a log that failed can be completed by hand`() async throws {
        let meal = try MealRig.natural("xyz123 invalid food")
        try rig.store(meal)
        try await rig.run(meal)
        #expect(try rig.clientLog(meal.id).status == "failed")
        #expect(
            try rig.clientLog(meal.id).errorMessage == "Unable to parse food items from input")
        _ = try MealQueries.replace(
            meal.id, with: edit("{\"items\":[\(MealRig.item())]}"), byUser: "ann",
            now: MealRig.later(9), on: rig.connection)
        let log = try rig.clientLog(meal.id)
        #expect(log.status == "completed")
        #expect(log.errorMessage == nil)
        #expect(log.mealType == "lunch")
    }

    @Test func `lists are by time, in pages, with the total number`() throws {
        var ids: [String] = []
        for day in 0..<5 {
            let now = MealRig.later(-86_400 * Int64(day))
            let meal = try MealRig.natural(
                "meal \(day)", type: day == 2 ? "snack" : "lunch", now: now)
            try rig.store(meal)
            ids.append(meal.id)
        }
        let batch = try MealRig.batch(MealRig.item(), now: MealRig.later(-86_400 * 9))
        try rig.store(batch)
        try rig.store(MealRig.natural("not hers", user: "bob"))
        let all = try rig.list()
        #expect(all.mealLogs.map(\.id) == ids + [batch.id])
        #expect((all.totalCount, all.limit, all.offset) == (6, 50, 0))
        #expect(!all.hasMore)
        #expect(all.mealLogs.last?.items.count == 1)
        let second = try rig.list(["limit": "2", "page": "2"])
        #expect(second.mealLogs.map(\.id) == [ids[2], ids[3]])
        #expect((second.totalCount, second.offset, second.hasMore) == (6, 2, true))
        let last = try rig.list(["limit": "4", "offset": "4", "page": "9"])
        #expect(last.mealLogs.count == 2)
        #expect(!last.hasMore)
        let beyond = try rig.list(["offset": "100"])
        #expect(beyond.mealLogs == [])
        #expect(beyond.totalCount == 6)
        #expect(!beyond.hasMore)
    }

    @Test(arguments: [
        (["status": "completed"], ["batch"]),
        (["status": "processing", "meal_type": "snack"], ["2"]),
        (["start_date": "2026-01-22", "end_date": "2026-01-23"], ["0", "1"]),
        (["from": "2026-01-22", "to": "2026-01-22"], ["1"]),
        (["start_date": "2026-01-23T14:30:00Z"], ["0"]),
        (["start_date": "2026-01-23T14:30:00.000001Z"], []),
        (["end_date": "2026-01-20T14:30:00Z"], ["3", "batch"]),
        (["end_date": "2026-01-20T14:29:59Z"], ["batch"]),
        (["start_date": "2026-01-21", "from": "2020-01-01", "end_date": ""], ["0", "1", "2"]),
    ])
    func `lists are filtered`(_ query: [String: String], _ expected: [String]) throws {
        for day in 0..<4 {
            try rig.store(
                MealRig.natural(
                    "\(day)", type: day == 2 ? "snack" : "lunch",
                    now: MealRig.later(-86_400 * Int64(day))))
        }
        try rig.store(MealRig.batch(MealRig.item(), now: MealRig.later(-86_400 * 9)))
        let found = try rig.list(query)
        #expect(
            found.mealLogs.map { $0.rawInput == "1 medium Apple" ? "batch" : $0.rawInput }
                == expected)
        #expect(found.totalCount == expected.count)
    }

    @Test func `deleted logs are removed after a month`() throws {
        let old = try MealRig.natural("old")
        let new = try MealRig.natural("new")
        try rig.store([old.unit, new.unit])
        _ = try MealQueries.delete(old.id, byUser: "ann", on: rig.connection)
        try rig.connection.execute(
            "update sluice.deleted_meal_log set deleted_at = now() - interval '31 days'")
        _ = try MealQueries.delete(new.id, byUser: "ann", on: rig.connection)
        #expect(
            try rig.strings("select meal_log_id::text from sluice.deleted_meal_log") == [new.id])
    }
}
