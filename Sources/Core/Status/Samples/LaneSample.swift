/// One lane at one moment.
public struct LaneSample: Equatable, Sendable {
    /// Its number.
    public var lane = 0
    /// Whether it can commit; if not, its batches go to the spool.
    public var isUp = true
    /// Devices and owners that it can't write while it writes others.
    public var blocked = 0.0
    /// Batches queued now.
    public var waitingBatches = 0.0
    /// Memory of the queued batches.
    public var waitingBytes = 0.0
    /// Batches and units taken from its queue since the start.
    public var batches = 0.0
    /// Transactions since the start.
    public var groups = 0.0
    /// Sum of the times that batches were queued.
    public var waitSeconds = 0.0
    /// Sum of the times that batches were in its group.
    public var staySeconds = 0.0
    /// Time in which it had a group to commit.
    public var busySeconds = 0.0
    /// Committed transactions: time spent locking device rows.
    public var claimSeconds = 0.0
    /// Time spent looking up stored rows, and on what belongs to no other step.
    public var siftSeconds = 0.0
    /// Time spent sending rows.
    public var copySeconds = 0.0
    /// Time from the last row sent to the answer to COMMIT.
    public var commitSeconds = 0.0

    /// An idle lane.
    public init(lane: Int = 0) {
        self.lane = lane
    }
}
