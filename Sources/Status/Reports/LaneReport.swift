/// One lane over an interval. Shares are of the interval.
public struct LaneReport: Codable, Equatable, Sendable {
    /// Its number.
    public var lane: Int
    /// It commits; else its batches go to the spool.
    public var up: Bool
    /// At the end of the interval.
    public var waitingBatches: Double
    /// Their memory.
    public var waitingBytes: Double
    /// What may wait.
    public var waitingBytesMax: Double
    /// Taken from its queue, a second.
    public var batches: Double
    /// Transactions a second.
    public var groups: Double
    /// How long a batch waited; nil when none was taken.
    public var queueWaitSeconds: Double?
    /// How long a transaction took; nil when there was none.
    public var serviceSeconds: Double?
    /// It had a group to commit.
    public var busyShare: Double
    /// It locked devices' rows and read them.
    public var claimShare: Double
    /// It looked up what may be stored already, and did the rest.
    public var siftShare: Double
    /// It sent rows.
    public var copyShare: Double
    /// It waited for PostgreSQL to finish with them and to commit.
    public var commitShare: Double

    init(_ now: LaneSample, since earlier: LaneSample, bytesMax: Double, seconds: Double) {
        func rate(_ field: (LaneSample) -> Double) -> Double {
            Rate.of(field(now), field(earlier), seconds)
        }
        func share(_ field: (LaneSample) -> Double) -> Double { min(1, rate(field)) }
        lane = now.lane
        up = now.isUp
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
