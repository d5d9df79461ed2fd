import Postgres
public import Readings

/// A job in a list.
public struct JobRecord: Sendable, Equatable {
    /// The state of a job.
    public enum State: String, Sendable, CaseIterable {
        /// The job waits for its time, or for a free runner.
        case waiting
        /// Its handler runs.
        case running
        /// It is not run again unless it is requested or an operator retries it.
        case dead
    }

    /// The id for ``JobStore/retry(_:on:)``.
    public let id: Int64
    /// The handler's name.
    public let kind: String
    /// The job's subject.
    public let key: String
    /// JSON.
    public let payload: String
    /// The state of the job.
    public let state: State
    /// Runs so far.
    public let attempts: Int
    /// When it runs next, or when its lease ends; nil for a dead job.
    public let dueAt: Timestamp?
    /// The node that runs it.
    public let owner: String?
    /// Why it failed last.
    public let lastError: String?
    /// When it failed last.
    public let failedAt: Timestamp?
    /// When it was requested.
    public let createdAt: Timestamp
}
