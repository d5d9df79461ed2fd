internal import CLZ4
internal import Glibc

/// What reading a segment again has found.
public struct Rereading: Sendable, Equatable {
    /// Records that can be read now and could not before, in order.
    public internal(set) var records: [RecordID] = []
    /// The units of those that no figure of the spool has counted before.
    public internal(set) var tally = UnitTally()
    /// A part can still not be read.
    public internal(set) var isUnread = false
    /// Why.
    public internal(set) var error: DiskError?
}
