/// How jobs are run on one node.
public struct JobConfiguration: Sendable {
    /// Runs at a time.
    public var concurrency = 4
    /// For how long a job belongs to a runner that says nothing; renewed each third of it. After a
    /// crash its jobs wait for this long.
    public var lease: Duration = .seconds(30)
    /// One run; longer is cancelled, counts as failed, and its lease is not renewed any more.
    public var runMax: Duration = .seconds(300)
    /// Runs of a job before it is dead.
    public var attemptsMax = 12
    /// The pause after the first failure; doubled each time, each a little shorter by chance.
    public var pauseMin: Duration = .seconds(2)
    /// The longest pause. With twelve attempts a job is tried for about four hours.
    public var pauseMax: Duration = .seconds(3600)
    /// How often the table is looked at when nobody says that there is something to do.
    public var pollInterval: Duration = .seconds(5)
    /// How long running jobs may take to end when the server stops; then they are cancelled and
    /// given back.
    public var stopMax: Duration = .seconds(10)

    /// The defaults.
    public init() {}
}
