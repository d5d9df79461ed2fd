public import Postgres

/// How a run ended that did not throw.
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
