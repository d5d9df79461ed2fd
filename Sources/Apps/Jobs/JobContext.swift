public import Logging
public import Postgres

/// What a handler may use during one run.
public struct JobContext: Sendable {
    /// For reads before the commit.
    public let database: Database
    /// Its messages include the job and the attempt.
    public let logger: Logger
    /// Whether the job is dead if this run fails.
    public let isLastAttempt: Bool

    /// For a runner, and for tests of handlers.
    public init(database: Database, logger: Logger, isLastAttempt: Bool = false) {
        self.database = database
        self.logger = logger
        self.isLastAttempt = isLastAttempt
    }
}
