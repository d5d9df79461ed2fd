/// A record as it was appended.
public struct SpooledRecord: Sendable, Equatable {
    /// What to release once it is stored elsewhere.
    public let id: RecordID
    /// How many readings or other units the payload holds, as the one who appended it said.
    public let units: Int
    /// What those are.
    public let kind: RecordKind
    /// When it was received, in microseconds since 2000-01-01 UTC.
    public let time: Int64
    /// The bytes, equal to those appended: two checksums say so.
    public let payload: [UInt8]

    /// For tests of those who replay.
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
