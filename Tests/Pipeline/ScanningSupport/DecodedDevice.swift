public import Readings
public import Scanning

/// One device's part of a batch. Texts are UTF-8 bytes: Swift strings compare equal too easily.
public struct DecodedDevice: Equatable, Sendable {
    /// Lower-cased.
    public var id: [UInt8]
    /// Of `id`.
    public var key: DeviceKey
    /// Nil means the device id.
    public var userID: [UInt8]?
    /// From the envelope; nil for any other device.
    public var modelName: [UInt8]?
    /// From the envelope; nil for any other device.
    public var version: [UInt8]?
    /// By `ReadingKind.rawValue`.
    public var rows = ReadingKind.allCases.map { _ in DecodedRows() }
    /// What was set aside, all of it with the envelope's device.
    public var quarantined: [QuarantinedReading] = []

    /// Without attributes and rows.
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
