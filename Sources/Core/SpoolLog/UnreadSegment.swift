internal import CLZ4
internal import Glibc

/// A segment of which a part could not be read.
public struct UnreadSegment: Sendable, Equatable {
    /// The segment's number.
    public let number: UInt64
    /// The file's name.
    public let name: String
    /// Why the last read failed; nil: a record's bytes were read and are wrong.
    public let error: DiskError?
}
