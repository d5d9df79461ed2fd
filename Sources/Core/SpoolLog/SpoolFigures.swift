/// The state of a spool in numbers, for metrics and `status`.
public struct SpoolFigures: Sendable, Equatable {
    /// Bytes of all files on disk, including spares and damaged segments.
    public internal(set) var bytesOnDisk = 0
    /// Durable records that are not released.
    public internal(set) var records = 0
    /// Their units by kind: readings, and what else was appended.
    public internal(set) var tally = UnitTally()
    /// When the oldest record that is not released was received, in microseconds since 2000-01-01
    /// UTC; nil when there is none or its header can't be read.
    public internal(set) var oldestTime: Int64?
    /// Segments with records or in use.
    public internal(set) var segments = 0
    /// Emptied segments that are kept for reuse.
    public internal(set) var spares = 0
    /// Segments moved aside, in this run of the program or before.
    public internal(set) var setAside = 0
    /// Segments of which a part can't be read now. They wait for that, and are not lost.
    public internal(set) var unread = 0
    /// Durable records whose bytes were damaged in this run of the program. Each of them is lost;
    /// the segment is kept.
    public internal(set) var recordsUnreadable = 0

    /// Units of all kinds.
    public var units: Int { tally.total }
}
