/// What bounds the throughput, or would do so first, and why.
public struct Bottleneck: Codable, Equatable, Sendable {
    /// What it is.
    public enum Stage: String, Codable, Sendable, CaseIterable {
        /// Nothing: there is no work.
        case idle
        /// The event loops: reading, scanning, answering.
        case edge
        /// The machine's cores, which this server's work uses up.
        case cpu
        /// Other programs, which use up the machine's cores while this server has little to do.
        case others
        /// A limit that turns clients away.
        case limits
        /// The lanes: there are too few.
        case lanes
        /// PostgreSQL, whatever the lanes do.
        case database
        /// The spool's disk.
        case spool
        /// The database is away, and the spool takes batches.
        case away
        /// Nobody takes batches.
        case down
    }

    /// How bad it is.
    public enum Level: String, Codable, Sendable, CaseIterable {
        /// There is room.
        case ok
        /// Something is busy most of the time; nobody is hurt.
        case busy
        /// It bounds the throughput.
        case limit
        /// Something is wrong.
        case trouble
    }

    /// What it is.
    public var stage: Stage
    /// How bad it is.
    public var level: Level
    /// For people, with the figures that it follows from and what would help.
    public var sentence: String

    /// From this share of its time on a stage counts as busy.
    static let busyShare = 0.7
    /// From this share on it counts as having no time left.
    static let fullShare = 0.9
    /// The same for a machine: what is left there is hardly ever of use.
    static let machineFullShare = 0.95
    /// From this share of the cores' used time on a full machine is full because of this process. Its
    /// database may use more than it does itself.
    static let ownShare = 0.4
    /// A lane is at its limit when batches wait for more than one group of others: so many times as
    /// long as they are in a group. While they wait for one only, groups can grow.
    static let waitToStayMax = 1.5
    /// Fewer bytes of rows than this are written in no time: what a transaction of theirs takes is
    /// the flush to the disk.
    static let smallGroupBytes = 128.0 * 1024

    /// As given.
    public init(stage: Stage, level: Level, sentence: String) {
        self.stage = stage
        self.level = level
        self.sentence = sentence
    }
}
