public import Postgres
import Readings

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
