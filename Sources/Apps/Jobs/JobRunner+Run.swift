import Logging
import Postgres
import Synchronization

/// One run, from its claim to its end.
extension JobRunner {
    func run(_ job: Job) async {
        let began = ContinuousClock.now
        let ending = await ending(of: job)
        instruments.ended(job.kind, ending, after: .now - began)
    }

    private func ending(of job: Job) async -> JobInstruments.Ending {
        var logger = logger
        logger[metadataKey: "job"] = "\(job.kind) \(job.key)"
        logger[metadataKey: "attempt"] = "\(job.attempts)"
        guard let handler = handlers[job.kind] else {
            preconditionFailure("BUG: claimed a \(job.kind) without a handler")
        }
        // None of its attempts has ended: the job probably crashes the process.
        guard job.attempts <= configuration.attemptsMax else {
            return await setBack(job, after: .zero, "no run of it came to an end", logger)
        }
        let context = JobContext(
            database: database, logger: logger,
            isLastAttempt: job.attempts == configuration.attemptsMax)
        do {
            switch try await handler.run(job, context) {
            case .done(let commit):
                if try await finish(job, commit, logger) { return .done }
                logger.notice("the lease was lost; the results are dropped")
                return .lost
            case .again(let pause, let reason):
                return await setBack(job, after: pause, reason, logger, ending: .again)
            }
        } catch {
            return await failed(job, error, logger)
        }
    }

    private func failed(
        _ job: Job, _ error: any Error, _ logger: Logger
    ) async -> JobInstruments.Ending {
        let pause = Self.pause(afterAttempt: job.attempts, configuration)
        switch state.withLock({ $0.running[job.lease]?.interruption }) {
        case .leaseLost:
            logger.notice("the lease was lost")
            return .lost
        case .tooLong:
            let reason = "took longer than \(configuration.runMax)"
            return await setBack(job, after: pause, reason, logger)
        case nil where Task.isCancelled:
            await end(job, .givenBack, logger)
            return .givenBack
        case nil:
            return await setBack(job, after: pause, "\(error)", logger)
        }
    }

    /// Schedules the next run, or makes the job dead after its last attempt.
    private func setBack(
        _ job: Job, after pause: Duration, _ reason: String, _ logger: Logger,
        ending: JobInstruments.Ending = .failed
    ) async -> JobInstruments.Ending {
        if job.attempts >= configuration.attemptsMax {
            logger.error("a job is dead", metadata: ["error": "\(reason)"])
            await bury(job, reason, logger)
            return .dead
        }
        logger.info("a job is run again later", metadata: ["error": "\(reason)"])
        await end(job, .pause(pause, reason: reason), logger)
        return ending
    }

    private func bury(_ job: Job, _ reason: String, _ logger: Logger) async {
        if let last = handlers[job.kind]?.givingUp(job) {
            let table = table
            // In a separate task, as in `end`.
            let write = Task {
                try await database.withConnection(useMax: Self.statementMax) { connection in
                    try table.bury(job, reason: reason, on: connection, last)
                }
            }
            do {
                return try await write.value
            } catch {
                logger.error(
                    "a dead job's subject could not be updated", metadata: ["error": "\(error)"])
            }
        }
        await end(job, .dead(reason: reason), logger)
    }

    /// Ends the lease. If this can't be written, the lease expires.
    private func end(_ job: Job, _ setback: JobTable.Setback, _ logger: Logger) async {
        let table = table
        // In a separate task: this one may be cancelled, and the row must be given back even then.
        let write = Task {
            try await database.withConnection(useMax: Self.statementMax) { connection in
                _ = try table.end(job, setback, on: connection)
            }
        }
        do {
            try await write.value
        } catch {
            logger.warning(
                "the end of a run can't be recorded; the job runs again when its lease ends",
                metadata: ["error": "\(error)"])
        }
    }

    /// Commits the results.
    ///
    /// After a lost answer, a deadlock or a similar error, the same transaction is sent again;
    /// the handler is not run again.
    /// - Returns: false if the lease was lost. After an unknown outcome, a missing row counts as
    ///   committed by the earlier attempt.
    private func finish(
        _ job: Job, _ commit: @escaping @Sendable (Connection) throws -> Void, _ logger: Logger
    ) async throws -> Bool {
        let table = table
        var isOutcomeKnown = true
        for attempt in 1...Self.finishesMax {
            do {
                let isOurs = try await database.withConnection(useMax: Self.statementMax) {
                    try table.finish(job, on: $0, commit)
                }
                return isOurs || !isOutcomeKnown
            } catch let error as PostgresError
                where error.failureClass == .retry && attempt < Self.finishesMax
            {
                if error.kind != .refused && error.kind != .connectionFailed {
                    isOutcomeKnown = false
                }
                logger.debug("results are written again", metadata: ["error": "\(error)"])
                try? await Task.sleep(for: Self.finishPause * attempt)
            }
        }
        preconditionFailure("BUG: the last try neither returned nor threw")
    }

    private static let finishesMax = 4
    private static let finishPause: Duration = .milliseconds(100)

    /// Doubles with each attempt and is shortened at random by up to half, so that jobs that
    /// failed together are not retried together.
    static func pause(afterAttempt attempt: Int, _ configuration: JobConfiguration) -> Duration {
        let doublings = min(max(attempt - 1, 0), 30)
        let pause = min(configuration.pauseMin * (1 << doublings), configuration.pauseMax)
        return pause * Double.random(in: 0.5...1)
    }
}
