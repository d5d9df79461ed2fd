import Postgres
import Readings

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
