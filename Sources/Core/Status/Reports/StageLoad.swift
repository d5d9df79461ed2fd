/// The mean number of batches in a stage over an interval, and how long each was there: `count =
/// perSecond × seconds` (Little's law).
public struct StageLoad: Codable, Equatable, Sendable {
    /// The stages of a batch.
    public enum Name: String, Codable, Sendable, CaseIterable {
        /// The body is being read and scanned, or the answer is being sent.
        case edge
        /// The batch waits for its lane; a batch of several devices counts once for each device.
        case queue
        /// It is in a group that is being committed; several devices count as in `queue`.
        case lanes
        /// It is being written to the spool.
        case spool
    }

    /// The stage.
    public var name: Name
    /// Mean number of batches in the stage.
    public var count: Double
    /// Batches that left the stage, per second.
    public var perSecond: Double
    /// Time of one batch in the stage; nil if none left it.
    public var seconds: Double?
    /// Share of the time in which its servers had work; nil for the queue.
    public var busyShare: Double?
    /// Number of threads or connections that do the work; 0 for the queue.
    public var servers: Double

    /// - Parameter staySeconds: the sum over all batches of the interval.
    init(
        _ name: Name, batches: Double, staySeconds: Double, interval: Double,
        busyShare: Double?, servers: Double
    ) {
        self.name = name
        self.servers = servers
        self.busyShare = busyShare.map { min(1, max(0, $0)) }
        count = interval > 0 ? max(0, staySeconds) / interval : 0
        perSecond = interval > 0 ? max(0, batches) / interval : 0
        seconds = batches > 0 ? max(0, staySeconds) / batches : nil
    }
}

extension StageLoad {
    /// All stages over an interval.
    ///
    /// The time of batches at the edge is not measured, because that would read the clock once more
    /// per batch. It is the time from the head to the answer, less the time in queue and lanes.
    /// Batches that were answered from the spool get their share of that remainder.
    static func all(
        _ now: Sample, since earlier: Sample, seconds: Double, loopShare: Double
    ) -> [StageLoad] {
        func grown(_ field: (LaneSample) -> Double) -> Double {
            max(
                0,
                now.lanes.reduce(0) { $0 + field($1) } - earlier.lanes.reduce(0) { $0 + field($1) })
        }
        let answers = now.acknowledgement.since(earlier.acknowledgement)
        let answered = Double(answers.count)
        let taken = grown { $0.batches }
        let (wait, stay) = (grown { $0.waitSeconds }, grown { $0.staySeconds })
        let rest = max(0, answers.sum - wait - stay)
        let spooled = min(answered, max(0, now.batchesSpooled - earlier.batchesSpooled))
        let spooledPart = answered > 0 ? rest * spooled / answered : 0
        let lanes = Double(now.lanes.count)
        let syncing = now.spoolSync.since(earlier.spoolSync).sum
        let laneTime = seconds * lanes
        return [
            StageLoad(
                .edge, batches: answered, staySeconds: rest - spooledPart, interval: seconds,
                busyShare: loopShare, servers: now.process.loops),
            StageLoad(
                .queue, batches: taken, staySeconds: wait, interval: seconds, busyShare: nil,
                servers: 0),
            StageLoad(
                .lanes, batches: taken, staySeconds: stay, interval: seconds,
                busyShare: laneTime > 0 ? grown { $0.busySeconds } / laneTime : 0, servers: lanes),
            StageLoad(
                .spool, batches: spooled, staySeconds: spooledPart, interval: seconds,
                busyShare: seconds > 0 ? syncing / seconds : 0,
                servers: now.spool == nil ? 0 : 1),
        ]
    }
}
