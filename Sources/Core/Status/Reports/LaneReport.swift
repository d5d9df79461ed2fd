import Readings

/// One lane over an interval. Shares are shares of the interval.
public struct LaneReport: Codable, Equatable, Sendable {
    /// Its number.
    public var lane: Int
    /// Whether it can commit; if not, its batches go to the spool.
    public var up: Bool
    /// Devices and owners that it can't write while it writes others; their batches go to the
    /// spool. nil: an older version says nothing of them.
    public var blocked: Double?
    /// Queued batches at the end of the interval.
    public var waitingBatches: Double
    /// Memory of the queued batches.
    public var waitingBytes: Double
    /// Maximum of `waitingBytes`.
    public var waitingBytesMax: Double
    /// Batches taken from its queue, per second.
    public var batches: Double
    /// Transactions per second.
    public var groups: Double
    /// Time of a batch in the queue; nil if none was taken.
    public var queueWaitSeconds: Double?
    /// Time of a transaction; nil if there was none.
    public var serviceSeconds: Double?
    /// Share in which it had a group to commit.
    public var busyShare: Double
    /// Share in which it locked and read device rows.
    public var claimShare: Double
    /// Share in which it looked up rows that may be stored already, and did what belongs to no
    /// other step.
    public var siftShare: Double
    /// Share in which it sent rows.
    public var copyShare: Double
    /// Share in which it waited for PostgreSQL to process the rows and commit.
    public var commitShare: Double

    init(_ now: LaneSample, since earlier: LaneSample, bytesMax: Double, seconds: Double) {
        func rate(_ field: (LaneSample) -> Double) -> Double {
            Rate.of(field(now), field(earlier), seconds)
        }
        func share(_ field: (LaneSample) -> Double) -> Double { min(1, rate(field)) }
        lane = now.lane
        up = now.isUp
        blocked = now.blocked
        waitingBatches = now.waitingBatches
        waitingBytes = now.waitingBytes
        waitingBytesMax = bytesMax
        batches = rate { $0.batches }
        groups = rate { $0.groups }
        queueWaitSeconds = batches > 0 ? rate { $0.waitSeconds } / batches : nil
        let steps = rate { $0.claimSeconds + $0.siftSeconds + $0.copySeconds + $0.commitSeconds }
        serviceSeconds = groups > 0 ? steps / groups : nil
        busyShare = share { $0.busySeconds }
        claimShare = share { $0.claimSeconds }
        siftShare = share { $0.siftSeconds }
        copyShare = share { $0.copySeconds }
        commitShare = share { $0.commitSeconds }
    }
}
