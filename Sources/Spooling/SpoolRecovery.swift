/// What was found in the directory when a spool was opened.
public struct SpoolRecovery: Sendable, Equatable {
    /// Segments with records to replay.
    public internal(set) var segments = 0
    /// Valid records in them.
    public internal(set) var records = 0
    /// Their units by kind: readings, and what else was appended.
    public internal(set) var tally = UnitTally()
    /// Bytes behind the last valid record of a segment, or between records of one group, that
    /// look like the rest of a write that a crash cut off. They were never promised.
    public internal(set) var bytesCut = 0
    /// Segments with damage, moved aside now or as soon as their valid records are replayed.
    public internal(set) var setAside: [SetAside] = []

    /// Units of all kinds.
    public var units: Int { tally.total }
}
