/// Jobs of this node at one moment.
public struct JobSample: Equatable, Sendable {
    /// Running on this node.
    public var running = 0.0
    /// Waiting in the table, as last counted.
    public var waiting = 0.0
    /// Given up.
    public var dead = 0.0
    /// By kind.
    public var kinds: [String: Kind] = [:]

    /// One kind's runs since the start.
    public struct Kind: Equatable, Sendable {
        /// All runs, whatever their outcome.
        public var runs = 0.0
        /// Failed runs, including those that will be retried.
        public var failures = 0.0
        /// Total time of all runs.
        public var seconds = 0.0

        /// A kind without runs.
        public init() {}
    }

    /// No jobs.
    public init() {}
}
