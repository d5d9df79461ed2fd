/// The stage that limits the throughput, or would be the first to do so, and the evidence.
public struct Bottleneck: Codable, Equatable, Sendable {
    /// The limiting stage.
    public enum Stage: String, Codable, Sendable, CaseIterable {
        /// Nothing: there is no work.
        case idle
        /// The event loops, which read, scan and answer.
        case edge
        /// The machine's cores, used up by this server's work.
        case cpu
        /// Other programs, which use up the machine's cores while this server has little to do.
        case others
        /// A configured limit, which causes requests to be refused.
        case limits
        /// The lanes: there are too few.
        case lanes
        /// PostgreSQL, independently of the lanes.
        case database
        /// The spool's disk.
        case spool
        /// The database is unreachable, and batches go to the spool.
        case away
        /// No batches are accepted.
        case down
    }

    /// How serious it is.
    public enum Level: String, Codable, Sendable, CaseIterable {
        /// There is spare capacity.
        case ok
        /// A stage is busy most of the time, without harm.
        case busy
        /// The stage limits the throughput.
        case limit
        /// Something is broken.
        case trouble
    }

    /// The limiting stage.
    public var stage: Stage
    /// How serious it is.
    public var level: Level
    /// The verdict for people, with its figures and what would help.
    public var sentence: String

    /// A stage counts as busy from this share of its time on.
    static let busyShare = 0.7
    /// A stage counts as full from this share of its time on.
    static let fullShare = 0.9
    /// The machine counts as full from this share on. The rest can hardly ever be used.
    static let machineFullShare = 0.95
    /// On a full machine, this process is the cause if it uses at least this share of the used CPU
    /// time. Its database may use more than it does itself.
    static let ownShare = 0.4
    /// A lane is at its limit when batches wait longer than this many times the time they spend in
    /// a group, that is, for more than one group. While they wait for one group only, groups can
    /// grow.
    static let waitToStayMax = 1.5
    /// Writing fewer bytes of rows than this takes almost no time, so such a transaction spends its
    /// time on the flush to disk.
    static let smallGroupBytes = 128.0 * 1024

    /// A bottleneck with the given values.
    public init(stage: Stage, level: Level, sentence: String) {
        self.stage = stage
        self.level = level
        self.sentence = sentence
    }
}
