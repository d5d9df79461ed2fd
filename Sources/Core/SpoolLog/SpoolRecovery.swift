internal import Glibc

/// What opening a spool found in its directory.
public struct SpoolRecovery: Sendable, Equatable {
    /// Segments with records to replay.
    public internal(set) var segments = 0
    /// Valid records in them.
    public internal(set) var records = 0
    /// Their units by kind: readings, and what else was appended.
    public internal(set) var tally = UnitTally()
    /// Bytes after the last valid record of a segment, or between records of one group, that look
    /// like the rest of an interrupted write. They were never promised.
    public internal(set) var bytesCut = 0
    /// Damaged segments, moved aside now or as soon as their valid records are replayed.
    public internal(set) var setAside: [SetAside] = []
    /// Segments that can't be read completely now. They stay where they are.
    public internal(set) var unread: [UnreadSegment] = []
    /// Files that had been moved aside and came back as segments.
    public internal(set) var returned: [String] = []

    /// Units of all kinds.
    public var units: Int { tally.total }
}
