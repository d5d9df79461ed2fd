/// How many batches are in one stage of their way, on average over an interval, and for how long:
/// `count = perSecond × seconds` (Little's law).
public struct StageLoad: Codable, Equatable, Sendable {
    /// The stages of a batch.
    public enum Name: String, Codable, Sendable, CaseIterable {
        /// Its body is read and scanned, or its answer is on its way.
        case edge
        /// It waits for its lane; a batch of several devices counts once for each.
        case queue
        /// It is in a group that is being committed; counted in the same way.
        case lanes
        /// It is being written to the spool.
        case spool
    }

    /// Which one.
    public var name: Name
    /// Mean number of batches in it.
    public var count: Double
    /// Batches that came through.
    public var perSecond: Double
    /// Time of one in it; nil when none came through.
    public var seconds: Double?
    /// The share of the time that its servers had work; nil for a queue.
    public var busyShare: Double?
    /// Threads or connections that do the work; 0 for a queue.
    public var servers: Double

    /// - Parameter staySeconds: over all batches, in the whole interval.
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
    /// How long batches are in the edge is not measured, for that would take a look at the clock a
    /// batch: it is what is left of the time from head to answer when the time in queue and lanes is
    /// taken away. Of that, batches that were answered from the spool have their part.
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
