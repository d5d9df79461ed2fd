internal import CZlib

/// What the units of a record are: a number that the caller chooses and the spool does not
/// interpret.
public struct RecordKind: RawRepresentable, Hashable, Sendable {
    /// The value in the record's header.
    public let rawValue: UInt16

    /// 0 is ``usual``.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The default kind.
    public static let usual = RecordKind(rawValue: 0)
}
