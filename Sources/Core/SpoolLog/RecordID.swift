internal import CZlib

/// The position of a record. Later records compare greater; only a ``Spool`` makes ids.
public struct RecordID: Hashable, Comparable, Sendable {
    /// The segment's number; numbers rise from segment to segment.
    public let segment: UInt64
    /// Bytes of the segment before the record.
    public let offset: UInt32
    /// The record's end in the segment.
    let end: UInt32
    let units: UInt32
    let kind: RecordKind

    /// The same position is the same record.
    public static func == (left: RecordID, right: RecordID) -> Bool {
        left.segment == right.segment && left.offset == right.offset
    }

    /// Older records first.
    public static func < (left: RecordID, right: RecordID) -> Bool {
        (left.segment, left.offset) < (right.segment, right.offset)
    }

    /// Hashes the position.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(segment)
        hasher.combine(offset)
    }
}
