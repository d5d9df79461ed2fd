import Logging
public import Postgres

/// Runs the jobs of one kind.
public protocol JobHandler: Sendable {
    /// The kind of its jobs; each kind has one handler.
    var kind: JobKind { get }

    /// Does the work, and leaves the results to the outcome's `commit`, so that they are applied
    /// exactly once, even after a crash. Other side effects of a run may happen more than once.
    ///
    /// Cancelled when the server stops, when it takes longer than ``JobConfiguration/runMax``, and
    /// when the lease is lost.
    /// - Throws: anything. The job is run again after a pause that doubles each time, and is dead
    ///   after ``JobConfiguration/attemptsMax`` attempts.
    func run(_ job: Job, _ context: JobContext) async throws -> JobOutcome

    /// Updates the job's subject when no attempt is left, in the transaction that makes the job
    /// dead. Also called if every run was cut off by the end of its process, so it must not
    /// repeat a run's work. An error is logged, and the job is made dead without the update.
    ///
    /// - Returns: nil when there is nothing to write.
    func givingUp(_ job: Job) -> (@Sendable (Connection) throws -> Void)?

    /// Reads what every job needs, so that the first one does not wait for it. Called once, when
    /// the runner starts; jobs may run before it has ended.
    ///
    /// - Throws: anything; jobs then run unprepared.
    func prepare(_ database: Database) async throws
}

extension JobHandler {
    /// Writes nothing.
    public func givingUp(_ job: Job) -> (@Sendable (Connection) throws -> Void)? { nil }

    /// Does nothing.
    public func prepare(_ database: Database) async throws {}
}
