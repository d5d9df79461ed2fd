public import Postgres
public import Readings

/// A job that a runner has claimed.
public struct Job: Sendable, Equatable {
    /// The id of its row.
    public let id: Int64
    /// What is to be done.
    public let kind: JobKind
    /// The job's subject; unique among the unfinished jobs of a kind.
    public let key: String
    /// JSON, from the latest request.
    public let payload: String
    /// Counts from 1, including runs that were cut off by the end of their process.
    public let attempts: Int
    /// The lease with which this run may finish the job.
    let lease: Int64

    /// A job that is in no table, for tests of handlers.
    public init(id: Int64 = 0, kind: JobKind, key: String, payload: String, attempts: Int = 1) {
        self.init(
            id: id, kind: kind, key: key, payload: payload, attempts: attempts, lease: 0)
    }

    init(
        id: Int64, kind: JobKind, key: String, payload: String, attempts: Int, lease: Int64
    ) {
        self.id = id
        self.kind = kind
        self.key = key
        self.payload = payload
        self.attempts = attempts
        self.lease = lease
    }
}

/// The kind of work: the name that connects jobs with their handler.
public struct JobKind: Hashable, Sendable {
    /// As stored in the table, for example `capture.analyse`; at most 128 characters.
    public let name: String

    /// - Parameter name: must not change: jobs of an earlier version may still be in the table.
    public init(_ name: String) {
        precondition((1...128).contains(name.count), "BUG: kind \(name)")
        self.name = name
    }
}

extension JobKind: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}

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

/// How a run that did not throw ended.
public enum JobOutcome: Sendable {
    /// The work is done. `commit` writes the results in the transaction that also removes the
    /// job: both happen or neither. If the lease was lost meanwhile, everything is rolled back.
    ///
    /// `commit` blocks its connection's queue while it runs. It may be called again after a lost
    /// connection or a deadlock, so it must not read outside state that changes. It may request
    /// jobs; if it requests one of the same kind and key, that job runs again.
    case done(commit: @Sendable (Connection) throws -> Void)
    /// Runs the job again later. This counts as an attempt; `reason` is stored as the last error.
    case again(after: Duration, reason: String)

    /// Done, with nothing to write.
    public static var done: JobOutcome { .done { _ in } }
}
