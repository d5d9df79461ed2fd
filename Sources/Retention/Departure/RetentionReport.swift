/// What a run did.
public struct RetentionReport: Sendable {
    /// Days that are in a file now.
    public internal(set) var archived: [DayPartition] = []
    /// Days that are gone without a file: that was wanted, or they had no rows.
    public internal(set) var dropped: [DayPartition] = []
    /// Rows of both.
    public internal(set) var rows = 0
    /// Of the files that were written.
    public internal(set) var bytes = 0
    /// Days that wait, for in one night only a few are dropped without a file.
    public internal(set) var postponed = 0
    /// Days that are due by a clock that readings do not bear out; one of ``failures`` says so.
    public internal(set) var doubtful = 0
    /// Days that have to wait for the next run, with the reason.
    public internal(set) var failures: [(partition: DayPartition, reason: String)] = []

    init() {}
}
