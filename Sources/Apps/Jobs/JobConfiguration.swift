import Instruments
import Synchronization

/// How jobs are run on one node.
public struct JobConfiguration: Sendable {
    /// The number of concurrent runs.
    public var concurrency = 4
    /// How long a runner owns a job without renewing the lease; it renews after each third of this.
    /// After a crash the runner's jobs wait this long.
    public var lease: Duration = .seconds(30)
    /// The longest run. A longer one is cancelled and counts as failed; its lease is not renewed.
    public var runMax: Duration = .seconds(300)
    /// Attempts after which a job is dead.
    public var attemptsMax = 12
    /// The pause after the first failure; doubled each time. Each is shortened at random, by up to
    /// half.
    public var pauseMin: Duration = .seconds(2)
    /// The longest pause. The pauses between twelve attempts add up to 34 to 68 minutes.
    public var pauseMax: Duration = .seconds(3600)
    /// How often the table is polled when no notification arrives.
    public var pollInterval: Duration = .seconds(5)
    /// How long running jobs may take to end when the server stops; then they are cancelled and
    /// given back.
    public var stopMax: Duration = .seconds(10)

    /// The defaults.
    public init() {}
}
