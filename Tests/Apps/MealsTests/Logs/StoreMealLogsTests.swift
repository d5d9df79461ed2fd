import Ingest
import Postgres
import Readings
import TestSupport
import Testing

@testable import Meals

/// Units of work as lanes write them, and the answers to them.
@Suite(.timeLimit(.minutes(10)))
struct StoreMealLogsTests {
    let rig: MealRig

    init() throws {
        rig = try MealRig()
    }

    @Test func `a sentence is stored once with its job, however often it is sent`() throws {
        let meal = try MealRig.natural("2 eggs")
        #expect(try rig.store(meal) == "stored")
        #expect(try rig.store(meal) == "same")
        #expect(try rig.store([meal.unit, meal.unit]) == ["same", "same"])
        #expect(try rig.store([]) == [])
        #expect(
            try rig.strings(
                "select concat_ws('|', meal_log_id, user_id, raw_input, meal_type, status) "
                    + "from sluice.meal_log") == ["\(meal.id)|ann|2 eggs|lunch|processing"])
        #expect(
            try rig.strings("select kind || ' ' || key from sluice.job")
                == ["meal.parse \(meal.id)"])
    }

    @Test func `the same unit twice in one group is stored once`() throws {
        let first = try MealRig.natural("2 eggs")
        let second = try MealRig.batch(MealRig.item())
        let units = [first.unit, second.unit, first.unit, second.unit]
        #expect(try rig.store(units) == ["stored", "stored", "same", "same"])
        #expect(try rig.strings("select count(*)::text from sluice.meal_log_item") == ["1"])
        #expect(try rig.strings("select count(*)::text from sluice.job") == ["1"])
    }

    @Test func `an id of another user's log is refused`() throws {
        let meal = try MealRig.natural("2 eggs")
        try rig.store(meal)
        let theft = WorkUnit(
            kind: NewMeal.kinds[0], owner: "bob",
            payload: meal.unit.payload.replacing("\"ann\"", with: "\"bob\"")
                .replacing("2 eggs", with: "poison"))
        #expect(try rig.store([theft]) == ["foreign"])
        #expect(meal.reply(to: .committed("foreign")) == .foreign)
        #expect(
            try rig.strings("select user_id || raw_input from sluice.meal_log") == ["ann2 eggs"])
        let both = try MealRig.natural("tea")
        let copy = WorkUnit(
            kind: NewMeal.kinds[0], owner: "bob",
            payload: both.unit.payload.replacing("\"ann\"", with: "\"bob\""))
        #expect(try rig.store([both.unit, copy]) == ["stored", "foreign"])
    }

    @Test func `a unit from the spool changes nothing that happened since`() async throws {
        let meal = try MealRig.natural("2 eggs")
        try rig.store(meal)
        try await rig.run(meal)
        let edit = try MealRig.bytes("{\"items\":[\(MealRig.item())]}") { body throws(MealFault) in
            try MealEdit(body, now: MealRig.later(5))
        }
        _ = try MealQueries.replace(
            meal.id, with: edit, byUser: "ann", now: MealRig.later(5), on: rig.connection)
        #expect(try rig.store(meal) == "same")
        #expect(try rig.clientLog(meal.id).items.map(\.foodName) == ["Apple"])
        #expect(try rig.clientLog(meal.id).status == "completed")
        #expect(
            try MealQueries.delete(meal.id, byUser: "ann", on: rig.connection) == .done(json: ""))
        #expect(try rig.store(meal) == "same")
        #expect(try rig.log(meal.id) == .notFound)
        #expect(try rig.strings("select count(*)::text from sluice.meal_log_item") == ["0"])
    }

    /// The statement has to wait, and then finds the id free.
    @Test func `a log that is sent again while its user deletes it stays deleted`() async throws {
        let deleted = try [MealRig.natural("2 eggs"), MealRig.batch(MealRig.item())]
        let units = try (deleted + [MealRig.natural("tea")]).map(\.unit)
        try rig.store(Array(units[..<2]))
        try rig.connection.execute("begin")
        for meal in deleted {
            #expect(
                try MealQueries.delete(meal.id, byUser: "ann", on: rig.connection)
                    == .done(json: ""))
        }
        let database = Database(rig.settings)
        defer { database.close() }
        async let results = database.withConnection { try MealRig.store(units, on: $0) }
        try await rig.awaitWaiting()
        try rig.connection.commit()
        #expect(try await results == ["same", "same", "stored"])
        #expect(try rig.strings("select coalesce(raw_input, '-') from sluice.meal_log") == ["tea"])
        #expect(try rig.strings("select count(*)::text from sluice.meal_log_item") == ["0"])
        #expect(
            try rig.strings(
                "select coalesce(l.raw_input, '-') from sluice.job j "
                    + "left join sluice.meal_log l on l.meal_log_id::text = j.key") == ["tea"])
    }

    @Test func `items are stored with their sums at once, without a job`() throws {
        let meal = try MealRig.batch(
            [
                MealRig.item("Water", calories: "0", more: ",\"food_type\":\"water\""),
                MealRig.item("Apple", calories: "94.6", more: ",\"sugar_g\":18.95"),
            ].joined(separator: ","))
        #expect(try rig.store(meal) == "stored")
        #expect(try rig.strings("select key from sluice.job") == [])
        let log = try rig.clientLog(meal.id)
        #expect(log.status == "completed")
        #expect(log.rawInput == "1 medium Water, 1 medium Apple")
        #expect(log.confidenceScore == nil)
        #expect(log.totalCalories == 95)
        #expect(log.totalProteinG == 1)
        #expect(log.totalSugarG == 19)
        #expect(log.totalFiberG == nil)
        #expect(log.items.map(\.foodType) == ["water", "food"])
        #expect(log.items.map(\.orderIndex) == [0, 1])
        #expect(log.items.allSatisfy { $0.mealLogId == meal.id && $0.confidenceScore == nil })
    }

    @Test func `the text of items is as long as a sentence may be, without a partial item`() throws
    {
        let names = (0..<40).map { "Food \($0) " + String(repeating: "é", count: 30) }
        let body = names.map { MealRig.item($0, more: ",\"fiber_g\":0.5") }
        let meal = try MealRig.batch(body.joined(separator: ","))
        try rig.store(meal)
        let text = try rig.clientLog(meal.id).rawInput
        let parts = text.split(separator: ", ").map(String.init)
        #expect(parts == names.prefix(parts.count).map { "1 medium \($0)" })
        #expect((950...1000).contains(text.unicodeScalars.count))
        let half = MealRig.item().replacing("\"quantity\":1", with: "\"quantity\":0.5")
        let other = try MealRig.batch(half)
        try rig.store(other)
        #expect(try rig.clientLog(other.id).rawInput == "0.5 medium Apple")
    }

    @Test func `the answers to a sentence`() throws {
        let meal = try MealRig.natural("2 \"eggs\"")
        guard case .created(let json) = meal.reply(to: .committed("stored")) else {
            Issue.record("not created")
            return
        }
        let created = try ClientMeal.decode(body: json)
        #expect(created.status == "processing")
        #expect(created.estimatedCompletionSeconds == 1)
        #expect(created.rawInput == "2 \"eggs\"")
        #expect(created.items == [])
        #expect(created.totalCalories == nil)
        try rig.store(meal)
        // The answer matches the stored log.
        #expect(try rig.clientLog(meal.id).createdAt == created.createdAt)
        guard case .accepted(let spooled) = meal.reply(to: .spooled) else {
            Issue.record("not accepted")
            return
        }
        #expect(try ClientMeal.decode(body: spooled).status == "pending")
        #expect(
            meal.reply(to: .unavailable(retryAfter: .seconds(3)))
                == .unavailable(retryAfter: .seconds(3)))
        #expect(meal.reply(to: .refused(sqlState: "22000")) == .refused(sqlState: "22000"))
    }

    @Test func `the answer to items is the log as it is read later`() throws {
        let meal = try MealRig.batch(MealRig.item(more: ",\"fiber_g\":4.4"))
        try rig.store(meal)
        guard case .created(let json) = meal.reply(to: .committed("stored")) else {
            Issue.record("not created")
            return
        }
        #expect(try rig.log(meal.id) == .done(json: json))
    }

    @Test func `totals are the sums of the items, whatever they are`() throws {
        var dice = SystemRandomNumberGenerator()
        for _ in 0..<30 {
            let items = (0..<Int.random(in: 1...40, using: &dice)).map { _ in
                MealRig.item(
                    calories: "\(Double.random(in: 0...900, using: &dice))",
                    protein: "\(Double.random(in: 0...90, using: &dice))",
                    more: Bool.random(using: &dice)
                        ? ",\"fiber_g\":\(Double.random(in: 0...9, using: &dice))" : "")
            }
            let meal = try MealRig.batch(items.joined(separator: ","))
            try rig.store(meal)
            let log = try rig.clientLog(meal.id)
            #expect(log.totalCalories == log.items.map(\.calories).reduce(0, +))
            let protein = log.items.map(\.proteinG).reduce(0, +)
            #expect(abs((log.totalProteinG ?? -1) - protein) < 0.001)
            let fibers = log.items.compactMap(\.fiberG)
            #expect((log.totalFiberG == nil) == fibers.isEmpty)
            #expect(abs((log.totalFiberG ?? 0) - fibers.reduce(0, +)) < 0.001)
        }
        // The columns that analysts read have the same values.
        #expect(
            try rig.strings(
                """
                select l.meal_log_id::text
                from sluice.meal_log l, lateral (
                    select sum(calories) as calories, sum(protein_g) as protein,
                        sum(fiber_g) as fiber, sum(sugar_g) as sugar
                    from sluice.meal_log_item i where i.meal_log_id = l.meal_log_id) s
                where l.total_calories <> s.calories or abs(l.total_protein_g - s.protein) > 0.001
                    or (l.total_fiber_g is null) <> (s.fiber is null)
                    or abs(l.total_fiber_g - s.fiber) > 0.001
                    or l.total_sugar_g is not null or s.sugar is not null
                """) == [])
    }
}
