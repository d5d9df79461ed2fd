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
    private let shelf: ParserCache
    private let clock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - clock: the machine's clock.
    ///   - parser: makes the parser for everybody's foods; called again when they change.
    public init(
        clock: @escaping @Sendable () -> Timestamp,
        parser: @escaping @Sendable (FoodIndex) -> any MealParser = { LocalMealParser(foods: $0) }
    ) {
        self.clock = clock
        shelf = ParserCache(parser)
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
