public import Jobs
public import Postgres
public import Readings

/// Parses one log's text and commits the result: one read before, one commit after.
///
/// The job's key is the log's id. The parser runs outside of any transaction, and meanwhile the log
/// may be deleted, edited, or parsed by another run whose lease was lost. So the result is written
/// only if the log is still in `processing`, and only then are users notified.
public struct MealParseJob: JobHandler {
    /// `meal.parse`
    public let kind = JobKind("meal.parse")
    private let shelf: FoodShelf
    private let clock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - clock: the machine's clock.
    ///   - parser: makes the parser for everybody's foods; called again when they change.
    public init(
        clock: @escaping @Sendable () -> Timestamp,
        parser: @escaping @Sendable (FoodIndex) -> any MealParser = { LocalMealParser(foods: $0) }
    ) {
        self.clock = clock
        shelf = FoodShelf(parser)
    }

    /// Loads everybody's foods and makes the parser.
    public func prepare(_ database: Database) async throws {
        _ = try await shelf.parser(version: 0, database)
    }

    /// Parses the log and returns its result, to be committed with the end of the job.
    ///
    /// - Throws: what the database throws, and `MealParsingFailure.unavailable` except in the last
    ///   attempt, which makes the log `failed` instead.
    public func run(_ job: Job, _ context: JobContext) async throws -> JobOutcome {
        let found = try await context.database.withConnection { connection in
            try MealToParse.read(job.key, on: connection)
        }
        guard let found else { return .done }
        let parser = try await shelf.parser(version: found.version, context.database)
        var log = found.log
        log.startedAt = clock()
        do throws(MealParsingFailure) {
            let meal = try await parser.parse(log.rawInput ?? "", own: found.own)
            let now = finish(&log, .completed)
            log.items = LoggedItem.made(meal.items, at: now)
            log.confidence = meal.confidence
        } catch .unavailable where !context.isLastAttempt {
            throw MealParsingFailure.unavailable
        } catch {
            finish(&log, .failed)
            log.failure = MealFailure(error)
        }
        let result = MealOutcome(log)
        return .done { try result.commit(on: $0) }
    }

    /// Makes the log `failed` and notifies its user, so that it does not stay in `processing` for
    /// ever. Running the dead job again then changes nothing.
    public func givingUp(_ job: Job) -> (@Sendable (Connection) throws -> Void)? {
        { connection in
            guard var log = try MealToParse.read(job.key, on: connection)?.log else { return }
            finish(&log, .failed)
            log.failure = MealFailure(.unavailable)
            try MealOutcome(log).commit(on: connection)
        }
    }

    @discardableResult
    private func finish(_ log: inout MealLog, _ status: MealStatus) -> Timestamp {
        // The clock may be set back, but the times of a log must not decrease.
        let now = max(clock(), log.startedAt ?? log.createdAt, log.createdAt)
        log.status = status
        log.completedAt = now
        log.updatedAt = now
        return now
    }
}

/// A run's result as one statement. It is made before the transaction, so that a retry writes the
/// same.
struct MealOutcome: Sendable {
    private let sql: String
    private let parameters: Parameters

    init(_ log: MealLog) {
        guard let now = log.completedAt else {
            preconditionFailure("BUG: the outcome of a log in \(log.status)")
        }
        var parameters = Parameters()
        parameters.append(text: log.id)
        if let failure = log.failure, log.consultation != nil {
            sql = "select sluice.drop_meal_message($1::text::uuid, $2)"
            parameters.append(
                text: MealFrame.error(
                    failure.message, code: failure.code, suggestions: failure.suggestions,
                    now: now))
        } else {
            sql = """
                select sluice.finish_meal_log(
                    $1::text::uuid, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
                """
            parameters.append(text: log.status.rawValue)
            parameters.append(jsonb: log.totals?.storedJSON)
            parameters.append(float8: log.confidence)
            parameters.append(text: log.failure?.code)
            parameters.append(text: log.failure?.message)
            let suggestions: [String] = log.failure?.suggestions ?? []
            parameters.append(texts: suggestions)
            parameters.append(timestamptz: log.startedAt?.microseconds)
            parameters.append(timestamptz: now.microseconds)
            parameters.append(jsonb: log.items.isEmpty ? nil : log.items.storedJSON)
            parameters.append(text: log.frame(at: now))
        }
        self.parameters = parameters
    }

    func commit(on connection: Connection) throws(PostgresError) {
        try connection.query(sql, parameters)
    }
}

/// The input of a run.
struct MealToParse: Sendable {
    let log: MealLog
    /// The user's own foods; nil if there are none.
    let own: FoodIndex?
    /// The version of everybody's foods that the parser must have at least.
    let version: Int64

    /// - Returns: nil if the log is gone or not in `processing`.
    static func read(_ id: String, on connection: Connection) throws(PostgresError) -> Self? {
        guard let id = MealID.canonical(id) else { return nil }
        var parameters = Parameters()
        parameters.append(text: id)
        let rows = try connection.query(
            """
            select l.user_id, l.raw_input, l.meal_type, l.logged_at, l.created_at,
                l.consultation_id::text, v.version,
                exists (select from sluice.user_food f where f.user_id = l.user_id)
            from sluice.meal_log l, sluice.food_version v
            where l.meal_log_id = $1::text::uuid and l.status = 'processing'
            """, parameters)
        guard rows.count == 1 else { return nil }
        let created = MealRows.moment(rows, 0, 4)
        let log = MealLog(
            id: id, user: rows.string(0, 0), rawInput: MealRows.text(rows, 0, 1),
            mealType: MealRows.word(rows, 0, 2), status: .processing,
            loggedAt: MealRows.moment(rows, 0, 3), createdAt: created, updatedAt: created,
            consultation: MealRows.text(rows, 0, 5))
        let own =
            rows.bool(0, 7) ? try StoredFoods.own(ofUser: log.user, on: connection) : nil
        return Self(log: log, own: own, version: rows.int64(0, 6))
    }
}

/// Keeps the parser for everybody's foods until they change.
actor FoodShelf {
    private struct Shelved {
        let version: Int64
        let parser: any MealParser
    }

    private let makeParser: @Sendable (FoodIndex) -> any MealParser
    private var shelved: Shelved?
    private var loading: Task<Shelved, any Error>?

    init(_ makeParser: @escaping @Sendable (FoodIndex) -> any MealParser) {
        self.makeParser = makeParser
    }

    /// The parser with foods of that version or a later one. Only one load runs at a time; other
    /// callers wait for it.
    func parser(version: Int64, _ database: Database) async throws -> any MealParser {
        while true {
            if let shelved, shelved.version >= version { return shelved.parser }
            let task = loading ?? load(database)
            loading = task
            let loaded = await task.result
            // The first caller to resume clears the task. If the load began before the change, the
            // loop loads again.
            if loading == task { loading = nil }
            let fresh = try loaded.get()
            if fresh.version >= shelved?.version ?? 0 { shelved = fresh }
        }
    }

    /// Builds the index on the connection's queue, where a long computation delays nobody else.
    private func load(_ database: Database) -> Task<Shelved, any Error> {
        let makeParser = makeParser
        return Task {
            try await database.withConnection { connection in
                let (version, index) = try StoredFoods.everybodys(on: connection)
                return Shelved(version: version, parser: makeParser(index))
            }
        }
    }
}
