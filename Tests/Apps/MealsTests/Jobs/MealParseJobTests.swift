import Instruments
import Jobs
import Logging
import Notices
import Postgres
import Readings
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import Meals

/// From a stored sentence to its result.
@Suite(.timeLimit(.minutes(10)))
struct MealParseJobTests {
    let rig: MealRig

    init() throws {
        rig = try MealRig()
    }

    /// The payloads of the notices.
    private func notices() throws -> [News] {
        try rig.strings("select payload from sluice.notice where topic = 'meal' order by id").map {
            try #require(News(noticePayload: $0))
        }
    }

    @Test func `a result is stored, kept for its user and posted, in one commit`() async throws {
        let meal = try MealRig.natural("2 eggs and a glass of water")
        try rig.store(meal)
        try await rig.run(meal)
        let log = try rig.clientLog(meal.id)
        #expect(log.status == "completed")
        #expect(log.items.map(\.foodName) == ["Egg", "Water"])
        #expect(log.items.map(\.foodType) == ["food", "water"])
        #expect(log.items.allSatisfy { $0.foodId != nil && $0.confidenceScore != nil })
        #expect(log.totalCalories == log.items.map(\.calories).reduce(0, +))
        #expect((log.confidenceScore ?? 0) > 0.8)
        #expect(log.processingStartedAt != nil)
        #expect(log.processingCompletedAt == log.updatedAt)
        let results = try rig.results()
        #expect(results.count == 1)
        #expect(try notices() == results)
        let frame = try ClientFrame.decode(results[0].frame)
        #expect(frame.type == "meal_log.completed")
        // The pushed result equals the log that is read.
        #expect(frame.data == log)
    }

    @Test func `a log whose job is given up has failed, and its user is notified`() throws {
        let meal = try MealRig.natural("2 eggs")
        try rig.store(meal)
        let last = try #require(MealRig.parseJob().givingUp(MealRig.job(meal)))
        try rig.commit(.done { try last($0) })
        let result = try #require(rig.results().first)
        let frame = try ClientFailure.decode(result.frame)
        #expect(frame.type == "meal_log.failed" && frame.data.id == meal.id)
        #expect(frame.data.errorCode == "PARSER_UNAVAILABLE")
        #expect(try rig.clientLog(meal.id).status == "failed")
        #expect(try notices() == [result])
        // Only once; and later changes stay.
        try rig.commit(.done { try last($0) })
        #expect(try rig.results().count == 1)
    }

    @Test func `a text that is not a meal fails, with advice`() async throws {
        let meal = try MealRig.natural("xyz123 invalid food")
        try rig.store(meal)
        try await rig.run(meal)
        let result = try #require(rig.results().first)
        let frame = try ClientFailure.decode(result.frame)
        #expect(frame.type == "meal_log.failed")
        #expect(frame.data.id == meal.id)
        #expect(frame.data.mealLogId == meal.id)
        #expect(frame.data.status == "failed")
        #expect(frame.data.errorMessage == "Unable to parse food items from input")
        #expect(frame.data.error == frame.data.errorMessage)
        #expect(frame.data.errorCode == "PARSING_FAILED")
        #expect(!frame.data.suggestions.isEmpty)
        #expect(try rig.clientLog(meal.id).items == [])
    }

    @Test func `two runs of one job, and one that was killed, give one result`() async throws {
        let meal = try MealRig.natural("2 eggs")
        try rig.store(meal)
        let handler = MealRig.parseJob()
        // Killed before its commit.
        _ = try await handler.run(MealRig.job(meal), rig.context())
        let first = try await handler.run(MealRig.job(meal), rig.context())
        let second = try await MealRig.parseJob().run(MealRig.job(meal), rig.context())
        try rig.commit(first)
        try rig.commit(second)
        try rig.commit(first)
        #expect(try rig.results().count == 1)
        #expect(try notices().count == 1)
        #expect(try rig.clientLog(meal.id).items.count == 1)
        // A run after the end finds nothing to do.
        try await rig.run(meal)
        #expect(try notices().count == 1)
    }

    @Test func `a log that is deleted or edited while its job runs is left as it is`() async throws
    {
        let deleted = try MealRig.natural("2 eggs")
        let edited = try MealRig.natural("3 eggs")
        try rig.store([deleted.unit, edited.unit])
        let first = try await MealRig.parseJob().run(MealRig.job(deleted), rig.context())
        let second = try await MealRig.parseJob().run(MealRig.job(edited), rig.context())
        _ = try MealQueries.delete(deleted.id, byUser: "ann", on: rig.connection)
        let edit = try MealRig.bytes("{\"items\":[\(MealRig.item())]}") { body throws(MealFault) in
            try MealEdit(body, now: MealRig.noon)
        }
        _ = try MealQueries.replace(
            edited.id, with: edit, byUser: "ann", now: MealRig.noon, on: rig.connection)
        try rig.commit(first)
        try rig.commit(second)
        #expect(try rig.log(deleted.id) == .notFound)
        #expect(try rig.clientLog(edited.id).items.map(\.foodName) == ["Apple"])
        #expect(try rig.results() == [])
        #expect(try notices() == [])
    }

    @Test func `a user's own food wins, and only for that user`() async throws {
        let food = try MealRig.bytes(
            """
            {"name":"Grandma's pancake","synonyms":["egg"],"calories":200,"protein_g":1,
            "carbs_g":1,"fat_g":1,"units":[{"name":"piece","grams":100}]}
            """
        ) { body throws(MealFault) in try UserFoodRequest(body) }
        _ = try FoodQueries.create(food, forUser: "ann", on: rig.connection)
        let hers = try MealRig.natural("2 eggs")
        let his = try MealRig.natural("2 eggs", user: "bob")
        try rig.store([hers.unit, his.unit])
        try await rig.run(hers)
        try await rig.run(his)
        let item = try #require(rig.clientLog(hers.id).items.first)
        #expect(item.userFoodId != nil)
        #expect(item.foodId == nil)
        #expect(item.calories == 400)
        #expect(try rig.clientLog(his.id, user: "bob").items.first?.userFoodId == nil)
    }

    @Test func `foods are loaded once, and again after a change`() async throws {
        let loads = Mutex(0)
        let handler = MealRig.parseJob { foods in
            loads.withLock { $0 += 1 }
            return LocalMealParser(foods: foods)
        }
        func name(_ text: String) async throws -> String? {
            let meal = try MealRig.natural(text)
            try rig.store(meal)
            try await rig.run(meal, handler)
            return try rig.clientLog(meal.id).items.first?.foodName
        }
        #expect(try await name("1 egg") == "Egg")
        #expect(try await name("1 banana") == "Banana")
        #expect(loads.withLock { $0 } == 1)
        try rig.connection.execute(
            """
            insert into sluice.food (name, food_type, energy_kcal, protein_g, carbs_g, fat_g)
            values ('zorbaloon', 'food', 100, 1, 1, 1)
            """)
        #expect(try await name("1 zorbaloon") == "Zorbaloon")
        #expect(try await name("100 g zorbaloon") == "Zorbaloon")
        #expect(loads.withLock { $0 } == 2)
        try rig.connection.execute("delete from sluice.food where name = 'zorbaloon'")
        #expect(try await name("1 banana") == "Banana")
        #expect(loads.withLock { $0 } == 3)
    }

    /// A parser with the outcome that the test chooses.
    private struct OtherParser: MealParser {
        let failure: MealParsingFailure

        func parse(_ text: String, own: FoodIndex?) async throws(MealParsingFailure) -> ParsedMeal {
            throw failure
        }
    }

    @Test func `an unreachable parser is tried again, and fails the log at last`()
        async throws
    {
        let meal = try MealRig.natural("2 eggs")
        try rig.store(meal)
        let handler = MealRig.parseJob { _ in OtherParser(failure: .unavailable) }
        await #expect(throws: MealParsingFailure.unavailable) {
            try await rig.run(meal, handler)
        }
        #expect(try rig.clientLog(meal.id).status == "processing")
        try await rig.run(meal, handler, isLastAttempt: true)
        let result = try #require(rig.results().first)
        #expect(try ClientFailure.decode(result.frame).data.errorCode == "PARSER_UNAVAILABLE")
    }

    @Test
    func `a consultation's message is logged if it is a meal, otherwise its sockets are told why`()
        async throws
    {
        let consultation = MealID.make()
        func say(_ text: String) async throws -> NewMeal {
            let frame = "{\"type\":\"message\",\"content\":\"\(text)\"}"
            let decoded = Array(frame.utf8).withUnsafeBytes {
                MealFrame.decode($0, now: MealRig.noon)
            }
            guard case .message(let message) = try decoded.get() else { throw MealRig.Gone() }
            let meal = NewMeal(
                message, consultation: consultation, user: "ann", now: MealRig.noon)
            try rig.store(meal)
            try await rig.run(meal)
            return meal
        }
        let meal = try await say("I had 2 eggs for breakfast")
        #expect(try rig.clientLog(meal.id).mealType == "breakfast")
        #expect(try rig.results().count == 1)
        let talk = try await say("xyz123 invalid food")
        #expect(try rig.log(talk.id) == .notFound)
        // Its answer waits for a socket of the consultation, as results do for any socket.
        let told = try #require(notices().last)
        #expect(try rig.results().last == told)
        #expect(try rig.results().count == 2)
        #expect(told.subject == consultation)
        #expect(told.frame.contains("\"code\":\"PARSING_FAILED\""))
        #expect(told.frame.hasPrefix("{\"type\":\"error\",\"data\":{\"error\":"))
        // Its unit arrives once more, from a spool.
        #expect(try rig.store(talk) == "same")
        #expect(try rig.log(talk.id) == .notFound)
    }

    @Test func `runners of two nodes bring each of many logs to one result`() async throws {
        let meals = try (0..<60).map { number in
            try MealRig.natural(number % 7 == 0 ? "qqq" : "\(number + 1) eggs and toast")
        }
        var groups: [ServiceGroup] = []
        for node in ["a", "b"] {
            var configuration = JobConfiguration()
            configuration.pollInterval = .seconds(30)
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let runner = JobRunner(
                settings: rig.settings, database: Database(rig.settings),
                handlers: [MealRig.parseJob()], node: node, configuration: configuration,
                registry: Registry(), logger: logger)
            groups.append(
                ServiceGroup(
                    configuration: ServiceGroupConfiguration(
                        services: [.init(service: runner)], logger: logger)))
        }
        let tasks = groups.map { group in Task { try await group.run() } }
        for start in stride(from: 0, to: meals.count, by: 10) {
            try rig.store(meals[start..<start + 10].map(\.unit))
        }
        let isDone = try await eventually {
            try rig.connection.query("select count(*) from sluice.job").int64(0, 0) == 0
        }
        for group in groups { await group.triggerGracefulShutdown() }
        for task in tasks { try await task.value }
        #expect(isDone)
        #expect(try rig.list(["status": "failed"]).totalCount == 9)
        #expect(try rig.list(["status": "completed"]).totalCount == 51)
        #expect(try rig.results().count == 60)
        #expect(Set(try notices().map(\.id)).count == 60)
    }
}
