public import Readings

/// A job as lists show it.
public struct JobRecord: Sendable, Equatable {
    /// What a job waits for.
    public enum State: String, Sendable, CaseIterable {
        /// Its time, or a free runner.
        case waiting
        /// Its handler.
        case running
        /// Somebody who looks at its error.
        case dead
    }

    /// For ``JobStore/retry(_:on:)``.
    public let id: Int64
    /// The handler's name.
    public let kind: String
    /// What it is about.
    public let key: String
    /// JSON.
    public let payload: String
    /// What it waits for.
    public let state: State
    /// Runs so far.
    public let attempts: Int
    /// When it is run next, or its lease ends; nil for a dead one.
    public let dueAt: Timestamp?
    /// The node that runs it.
    public let owner: String?
    /// Why it failed last.
    public let lastError: String?
    /// When it failed last.
    public let failedAt: Timestamp?
    /// When it was asked for.
    public let createdAt: Timestamp
}
