internal import CZlib

/// A record as it was appended.
public struct SpooledRecord: Sendable, Equatable {
    /// The id to release once the record is stored elsewhere.
    public let id: RecordID
    /// How many readings or other units the payload holds, as given to `append`.
    public let units: Int
    /// What the units are.
    public let kind: RecordKind
    /// When it was received, in microseconds since 2000-01-01 UTC.
    public let time: Int64
    /// The bytes that were appended; two checksums were verified.
    public let payload: [UInt8]

    /// For tests of code that replays records.
    public init(
        id: RecordID, units: Int, kind: RecordKind = .usual, time: Int64, payload: [UInt8]
    ) {
        self.id = id
        self.units = units
        self.kind = kind
        self.time = time
        self.payload = payload
    }
}
