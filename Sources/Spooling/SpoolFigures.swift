/// The state of a spool in numbers, for metrics and `status`.
public struct SpoolFigures: Sendable, Equatable {
    /// Bytes of all its files on disk, spares and segments moved aside included.
    public internal(set) var bytesOnDisk = 0
    /// Durable records that are not released.
    public internal(set) var records = 0
    /// Their units by kind: readings, and what else was appended.
    public internal(set) var tally = UnitTally()
    /// When the oldest of the segments still in use got its first record, in microseconds since
    /// 2000-01-01 UTC; nil when nothing is left to replay.
    public internal(set) var oldestTime: Int64?
    /// Segments with records or in use.
    public internal(set) var segments = 0
    /// Emptied segments that wait to be used again.
    public internal(set) var spares = 0
    /// Segments moved aside, in this run of the program or before.
    public internal(set) var setAside = 0
    /// Durable records that could not be read back when it was their turn. Each of them is a
    /// loss; the segment is kept for inspection.
    public internal(set) var recordsUnreadable = 0

    /// Units of all kinds.
    public var units: Int { tally.total }
}
