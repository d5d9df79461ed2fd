/// The result of a run.
public struct RetentionReport: Sendable {
    /// Days that are in a file now.
    public internal(set) var archived: [DayPartition] = []
    /// Days with rows that were dropped without a file, as configured.
    public internal(set) var dropped: [DayPartition] = []
    /// Days without rows, which were dropped.
    public internal(set) var empty: [DayPartition] = []
    /// The rows of both.
    public internal(set) var rows = 0
    /// The size of the written files.
    public internal(set) var bytes = 0
    /// Days that must wait because only a few may be dropped without a file in one night.
    public internal(set) var postponed = 0
    /// Days that are due by a clock that readings don't confirm; one entry of ``failures``
    /// reports them.
    public internal(set) var doubtful = 0
    /// Days that failed not long ago, and were not tried.
    public internal(set) var resting = 0
    /// Failures of the disk, or of what it returned.
    var diskFailures = 0
    /// Days that wait for the next run, with the reason. One doubtful day stands for all.
    public internal(set) var failures: [(partition: DayPartition, reason: String)] = []

    init() {}
}
