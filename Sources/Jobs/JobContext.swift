public import Logging
public import Postgres

/// What a runner lends to a handler for one run.
public struct JobContext: Sendable {
    /// For what has to be read before the commit.
    public let database: Database
    /// Says which job it is.
    public let logger: Logger
    /// No further attempt follows this one: what fails now is dead.
    public let isLastAttempt: Bool

    /// For a runner, and for tests of handlers.
    public init(database: Database, logger: Logger, isLastAttempt: Bool = false) {
        self.database = database
        self.logger = logger
        self.isLastAttempt = isLastAttempt
    }
}
