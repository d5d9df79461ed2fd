import Ingest
import Jobs
import Logging
import Notices
import Postgres
import Readings
import TestSupport
import Testing

@testable import Meals

/// A migrated database, a clock, and the operations of a lane, a node and a client on logs.
struct MealRig {
    static let ann = "ann"
    static let bob = "bob"
    /// 2026-01-23 14:30:00 UTC
    static let noon = Timestamp(unixSeconds: 1_769_178_600)

    let settings: ConnectionSettings
    let connection: Connection

    init() throws {
        settings = try TestCluster.shared.freshDatabase(named: "meals")
        connection = try Connection.open(settings, deadline: .now + .seconds(120))
    }

    /// ``noon`` plus that many seconds.
    static func later(_ seconds: Int64) -> Timestamp {
        Timestamp(unixSeconds: 1_769_178_600 + seconds)
    }

    static func natural(
        _ text: String, type: String = "lunch", user: String = ann, now: Timestamp = noon
    ) throws -> NewMeal {
        let body = JSONWriter.object { json in
            json.field("raw_input", text)
            json.field("meal_type", type)
        }
        return try bytes(body) { body throws(MealFault) in
            try NewMeal(natural: body, user: user, now: now)
        }
    }

    static func batch(
        _ items: String, user: String = ann, now: Timestamp = noon
    ) throws -> NewMeal {
        try bytes("{\"meal_type\":\"dinner\",\"items\":[\(items)]}") { body throws(MealFault) in
            try NewMeal(batch: body, user: user, now: now)
        }
    }

    static func item(
        _ name: String = "Apple", calories: String = "95", protein: String = "0.5",
        more: String = ""
    ) -> String {
        """
        {"food_name":"\(name)","quantity":1,"unit":"medium","calories":\(calories),\
        "protein_g":\(protein),"carbs_g":25,"fat_g":0.3\(more)}
        """
    }

    /// Passes a text's bytes to `body`.
    static func bytes<Value>(
        _ text: String, _ body: (UnsafeRawBufferPointer) throws(MealFault) -> Value
    ) throws(MealFault) -> Value {
        let bytes = Array(text.utf8)
        let result = bytes.withUnsafeBytes { loan -> Result<Value, MealFault> in
            do throws(MealFault) {
                return .success(try body(loan))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Stores units as a lane does.
    @discardableResult
    func store(_ units: [WorkUnit]) throws -> [String] {
        try Self.store(units, on: connection)
    }

    static func store(_ units: [WorkUnit], on connection: Connection) throws -> [String] {
        var parameters = Parameters()
        parameters.append(texts: units.map(\.payload))
        parameters.append(timestamptzs: units.map { _ in 0 })
        parameters.append(bools: units.map { _ in false })
        let rows = try connection.query(kept: NewMeal.kinds[0].statement, parameters)
        var results = [String](repeating: "", count: units.count)
        for row in 0..<rows.count { results[Int(rows.int32(row, 0)) - 1] = rows.string(row, 1) }
        #expect(rows.count == units.count)
        return results
    }

    @discardableResult
    func store(_ meal: NewMeal) throws -> String {
        try store([meal.unit])[0]
    }

    func strings(_ sql: String) throws -> [String] {
        let rows = try connection.query(sql)
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    /// Waits until another session waits for a lock of this one.
    func awaitWaiting() async throws {
        let isWaiting = try await eventually {
            try connection.query(
                """
                select from pg_locks
                where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))
                """
            ).count > 0
        }
        #expect(isWaiting)
    }

    // MARK: Jobs

    static func job(_ meal: NewMeal) -> Job {
        Job(kind: JobKind("meal.parse"), key: meal.id, payload: "{}")
    }

    static func parseJob(
        _ parser: @escaping @Sendable (FoodIndex) -> any MealParser = { LocalMealParser(foods: $0) }
    ) -> MealParseJob {
        MealParseJob(clock: { later(2) }, parser: parser)
    }

    func context(isLastAttempt: Bool = false) -> JobContext {
        JobContext(
            database: Database(settings),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            isLastAttempt: isLastAttempt)
    }

    /// Runs a job and commits, as the runner does.
    func run(
        _ meal: NewMeal, _ handler: MealParseJob = parseJob(), isLastAttempt: Bool = false
    ) async throws {
        let outcome = try await handler.run(
            Self.job(meal), context(isLastAttempt: isLastAttempt))
        try commit(outcome)
    }

    func commit(_ outcome: JobOutcome) throws {
        guard case .done(let commit) = outcome else {
            Issue.record("not done")
            return
        }
        try connection.transaction { try commit(connection) }
    }

    // MARK: Answers

    func log(_ id: String, user: String = ann) throws -> MealAnswer {
        try MealQueries.log(id, ofUser: user, on: connection)
    }

    /// A log, decoded as the shipped client would do it.
    func clientLog(_ id: String, user: String = ann) throws -> ClientMeal {
        guard case .done(let json) = try log(id, user: user) else { throw Gone() }
        return try ClientMeal.decode(body: json)
    }

    func list(_ query: [String: String] = [:], user: String = ann) throws -> ClientList {
        let filter = try MealFilter { query[$0] }
        return try ClientList.decode(
            try MealQueries.logs(filter, ofUser: user, on: connection))
    }

    func results(user: String = ann) throws -> [News] {
        try Undelivered.news(forUser: user, topic: "meal", on: connection)
    }

    struct Gone: Error {}
}
