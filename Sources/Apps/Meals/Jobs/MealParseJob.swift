public import Jobs
public import Postgres
public import Readings

/// Reads one log's text and commits what came of it: one read before, one commit after.
///
/// Key: the log's id. The parser works outside of any transaction. Whatever happened to the log
/// meanwhile (deleted, edited, read by another run whose lease was lost), only one that is still in
/// `processing` takes the result, and only then anybody is told.
public struct MealParseJob: JobHandler {
    /// `meal.parse`
    public let kind = JobKind("meal.parse")
    private let shelf: FoodShelf
    private let clock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - clock: the machine's.
    ///   - parser: makes the parser for everybody's foods; called again when they have changed.
    public init(
        clock: @escaping @Sendable () -> Timestamp,
        parser: @escaping @Sendable (FoodIndex) -> any MealParser = { LocalMealParser(foods: $0) }
    ) {
        self.clock = clock
        shelf = FoodShelf(parser)
    }

    /// Loads everybody's foods.
    public func prepare(_ database: Database) async throws {
        _ = try await shelf.parser(version: 0, database)
    }

    /// - Throws: what the database does, and `MealParsingFailure.unavailable` but for the last
    ///   attempt, which makes a failed log of it.
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

    /// A log must not stay in `processing` for ever: it has failed, and whoever waits for it is told.
    /// Running the dead job again changes nothing then.
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
        // Clocks may be set back; times of a log don't run backwards.
        let now = max(clock(), log.startedAt ?? log.createdAt, log.createdAt)
        log.status = status
        log.completedAt = now
        log.updatedAt = now
        return now
    }
}

/// A run's result as one statement, made before its transaction, so that trying it again writes the
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

/// What a run has to know.
struct MealToParse: Sendable {
    let log: MealLog
    /// Nil: the user has none.
    let own: FoodIndex?
    /// Of everybody's foods.
    let version: Int64

    /// - Returns: nil when the log is gone or waits for no result.
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

/// The parser with everybody's foods in it, kept until they change.
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

    /// The parser with foods of that version or of a later one; loads them at most once at a time,
    /// and whoever asks meanwhile waits.
    func parser(version: Int64, _ database: Database) async throws -> any MealParser {
        while true {
            if let shelved, shelved.version >= version { return shelved.parser }
            let task = loading ?? load(database)
            loading = task
            let loaded = await task.result
            // Of all who waited the first takes it; a load that began before the change is done
            // again.
            if loading == task { loading = nil }
            let fresh = try loaded.get()
            if fresh.version >= shelved?.version ?? 0 { shelved = fresh }
        }
    }

    /// The index is made on the connection's queue, where taking time hurts nobody.
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
