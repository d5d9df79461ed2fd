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
