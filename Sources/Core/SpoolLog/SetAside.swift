internal import Glibc

/// A damaged segment, kept under the name `bad-….lz4`. If its bytes are found intact later, it
/// comes back as a segment; it is never removed here.
public struct SetAside: Sendable, Equatable {
    /// Why a segment is not reused.
    public enum Reason: Sendable, Equatable {
        /// Records in these bytes were durable and now fail their checksums. All other records are
        /// replayed first.
        case damaged([Range<Int>])
        /// The file ends after so many bytes and was longer: nothing in this program cuts it so
        /// short. The lost bytes may have been durable.
        case cutShort(bytes: Int)
        /// Either these bytes were durable and changed since, or a crash interrupted their write:
        /// the two can't be told apart.
        case doubtful([Range<Int>])

        /// Whether durable records are known to be lost; false if they only may be.
        public var isCertain: Bool {
            switch self {
            case .damaged: true
            case .cutShort, .doubtful: false
            }
        }
    }

    /// The name under which the segment was found.
    public let name: String
    /// The damage.
    public let reason: Reason
    /// Valid records in it, which are replayed before it is moved.
    public let records: Int
}
