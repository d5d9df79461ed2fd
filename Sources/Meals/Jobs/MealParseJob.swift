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
