public import Readings
public import Scanning

/// One device's part of a batch. Texts are UTF-8 bytes, because Swift strings with different bytes
/// may compare equal.
public struct DecodedDevice: Equatable, Sendable {
    /// Lower-cased, UTF-8.
    public var id: [UInt8]
    /// The key of `id`.
    public var key: DeviceKey
    /// Nil means that the user id is the device id.
    public var userID: [UInt8]?
    /// Only the envelope gives it; nil for any other device.
    public var modelName: [UInt8]?
    /// Only the envelope gives it; nil for any other device.
    public var version: [UInt8]?
    /// Indexed by `ReadingKind.rawValue`.
    public var rows = ReadingKind.allCases.map { _ in DecodedRows() }
    /// The quarantined readings; all of them belong to the envelope's device.
    public var quarantined: [QuarantinedReading] = []

    /// A device without attributes and rows.
    public init(id: [UInt8], key: DeviceKey) {
        self.id = id
        self.key = key
    }

    /// Rows of one kind.
    public subscript(kind: ReadingKind) -> DecodedRows {
        get { rows[Int(kind.rawValue)] }
        set { rows[Int(kind.rawValue)] = newValue }
    }
}
