public import Postgres
public import Readings

/// One piece of work, as a runner took it.
public struct Job: Sendable, Equatable {
    /// Its row.
    public let id: Int64
    /// What is to be done.
    public let kind: JobKind
    /// The job's subject; unique among the unfinished jobs of a kind.
    public let key: String
    /// JSON, from the latest request.
    public let payload: String
    /// Counts from 1; a run that ended with its process counts too.
    public let attempts: Int
    /// The number under which this run may finish it.
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

/// The kind of work: the name that jobs and their handler have in common.
public struct JobKind: Hashable, Sendable {
    /// As it stands in the table, for example `capture.analyse`; at most 128 characters.
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

/// How a run that did not throw ended.
public enum JobOutcome: Sendable {
    /// The work is done. `commit` writes the results, in the transaction that also removes the job:
    /// both happen or neither. When the lease was lost meanwhile, all of it is rolled back.
    ///
    /// `commit` blocks its connection's queue for as long as it takes, and may be called again
    /// after a lost connection or a deadlock, so it reads nothing from outside that changes. It
    /// may ask for jobs, also for one of the same kind and key, which then runs again.
    case done(commit: @Sendable (Connection) throws -> Void)
    /// Not now: the same again later. Counts as an attempt; `reason` is kept as the last error.
    case again(after: Duration, reason: String)

    /// Done, with nothing to write.
    public static var done: JobOutcome { .done { _ in } }
}
