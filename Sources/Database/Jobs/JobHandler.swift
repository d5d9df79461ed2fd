public import Logging
public import Postgres

/// Does the jobs of one kind.
public protocol JobHandler: Sendable {
    /// The kind that it does; one handler a kind.
    var kind: JobKind { get }

    /// Does the work, and leaves the results to the outcome's `commit`, so that they are applied
    /// once whatever crashes. What it does to the world before may happen again.
    ///
    /// Cancelled when the server stops, when it takes longer than ``JobConfiguration/runMax``, and
    /// when the lease is lost.
    /// - Throws: anything. The job is run again after a pause that doubles each time, and is dead
    ///   after ``JobConfiguration/attemptsMax`` attempts.
    func run(_ job: Job, _ context: JobContext) async throws -> JobOutcome

    /// What becomes of the work's subject when no attempt is left: written in the transaction that
    /// makes the job dead. Also where no run of it came to an end, so it must not do what runs do. What
    /// it throws is logged, and the job is dead without it.
    ///
    /// - Returns: nil: nothing.
    func givingUp(_ job: Job) -> (@Sendable (Connection) throws -> Void)?

    /// Reads what every job needs, so that the first one does not wait for it. Called once, when the
    /// runner starts; jobs may run before it has ended.
    ///
    /// - Throws: anything; the jobs will have to do without.
    func prepare(_ database: Database) async throws
}

extension JobHandler {
    /// Nothing.
    public func givingUp(_ job: Job) -> (@Sendable (Connection) throws -> Void)? { nil }

    /// Nothing.
    public func prepare(_ database: Database) async throws {}
}

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
