/// One piece of work, as a runner took it.
public struct Job: Sendable, Equatable {
    /// Its row.
    public let id: Int64
    /// What is to be done.
    public let kind: JobKind
    /// To what; no two unfinished jobs of a kind have the same.
    public let key: String
    /// JSON, as it was given last.
    public let payload: String
    /// Counts from 1; a run that ended with its process counts too.
    public let attempts: Int
    /// The number under which this run may finish it.
    let lease: Int64

    /// One that is in no table, for tests of handlers.
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
