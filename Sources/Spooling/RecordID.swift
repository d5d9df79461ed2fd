/// Where a record stands. Later ones compare greater; only a ``Spool`` makes them.
public struct RecordID: Hashable, Comparable, Sendable {
    /// The segment's number; numbers rise from segment to segment.
    public let segment: UInt64
    /// Bytes of the segment in front of the record.
    public let offset: UInt32
    /// Bytes of the segment in front of what follows the record.
    let end: UInt32
    let units: UInt32
    let kind: RecordKind

    /// The same place is the same record.
    public static func == (left: RecordID, right: RecordID) -> Bool {
        left.segment == right.segment && left.offset == right.offset
    }

    /// Older records first.
    public static func < (left: RecordID, right: RecordID) -> Bool {
        (left.segment, left.offset) < (right.segment, right.offset)
    }

    /// Of the place.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(segment)
        hasher.combine(offset)
    }
}
