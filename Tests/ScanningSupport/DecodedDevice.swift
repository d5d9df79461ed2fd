public import Readings

/// One device's part of a batch.
public struct DecodedDevice: Equatable, Sendable {
    /// UTF-8 of the lower-cased id: Swift strings compare equal too easily.
    public var id: [UInt8]
    public var key: DeviceKey
    public var userID: [UInt8]?
    public var modelName: [UInt8]?
    public var version: [UInt8]?
    /// By `ReadingKind.rawValue`.
    public var rows: [DecodedRows] = [DecodedRows(), DecodedRows(), DecodedRows()]
    public var quarantined: [Quarantined] = []

    public init(id: [UInt8], key: DeviceKey) {
        self.id = id
        self.key = key
    }

    /// Rows of one kind.
    public subscript(kind: ReadingKind) -> DecodedRows {
        get { rows[Int(kind.rawValue)] }
        set { rows[Int(kind.rawValue)] = newValue }
    }

    /// A reading that was set aside, as the quarantine table keeps it.
    public struct Quarantined: Equatable, Sendable {
        public var index: Int
        public var reason: QuarantineReason
        public var body: [UInt8]

        public init(index: Int, reason: QuarantineReason, body: [UInt8]) {
            self.index = index
            self.reason = reason
            self.body = body
        }
    }
}
