/// What the units of a record are: a number of the appender's own, which means nothing here.
public struct RecordKind: RawRepresentable, Hashable, Sendable {
    /// As it stands in the record's header.
    public let rawValue: UInt16

    /// 0 is what a record is of when nothing is said.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// When nothing is said.
    public static let usual = RecordKind(rawValue: 0)
}
