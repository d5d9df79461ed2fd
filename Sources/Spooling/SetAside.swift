/// A segment that lost records and is kept for inspection, out of the way, under the name
/// `bad-….lz4`. Nothing removes it but an operator.
public struct SetAside: Sendable, Equatable {
    /// Why a segment is not used again.
    public enum Reason: Sendable, Equatable {
        /// These bytes hold records that were durable and now fail their checksums. All other
        /// records are offered for replay first.
        case damaged([Range<Int>])
        /// The disk could not read all of it. What it could is offered for replay first.
        case unreadable(DiskError)
    }

    /// The name under which the segment was found.
    public let name: String
    /// What is wrong with it.
    public let reason: Reason
    /// Valid records in it, which are replayed before it is moved.
    public let records: Int
}
