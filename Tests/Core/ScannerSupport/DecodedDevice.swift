public import Readings
public import Scanner

/// One device's part of a batch. Texts are UTF-8 bytes, because Swift strings with different bytes
/// may compare equal.
public struct DecodedDevice: Equatable, Sendable {
    /// Lower-cased, UTF-8.
    public var id: [UInt8]
    /// The batch's user, UTF-8; the envelope's device id where it names none.
    public var userID: [UInt8]
    /// The key of `id` and `userID`.
    public var key: DeviceKey
    /// Only the envelope gives it; nil for any other device.
    public var modelName: [UInt8]?
    /// Only the envelope gives it; nil for any other device.
    public var version: [UInt8]?
    /// Indexed by `ReadingKind.rawValue`.
    public var rows = ReadingKind.allCases.map { _ in DecodedRows() }
    /// Vital readings by name; their codes are places in ``DecodedBatch/metricNames``.
    public var named = DecodedRows()
    /// The quarantined readings; all of them belong to the envelope's device.
    public var quarantined: [QuarantinedReading] = []

    /// A device without attributes and rows.
    public init(id: [UInt8], userID: [UInt8], key: DeviceKey) {
        self.id = id
        self.userID = userID
        self.key = key
    }

    /// Rows of one kind.
    public subscript(kind: ReadingKind) -> DecodedRows {
        get { rows[Int(kind.rawValue)] }
        set { rows[Int(kind.rawValue)] = newValue }
    }
}
