/// The vocabulary of telemetry: what a reading is, whose it is, when it is valid, and why one is
/// set aside. Values only, no I/O; every other module speaks in these words.
///
/// A *batch* is one request body: an envelope (`metadata`) and its *readings* (`data`).
/// A reading is one of three kinds and belongs to one device. Its identity is its device, kind,
/// time and values, which is exactly the bytes of its COPY BINARY tuple: two readings are the
/// same when those bytes are.

/// The kind of a reading, one table each.
public enum ReadingKind: UInt8, CaseIterable, Sendable, Codable {
    case gps = 0
    case vital = 1
    case event = 2

    /// The name in the `type` field of the wire format, and of the table.
    public var name: StaticString {
        switch self {
        case .gps: "gps"
        case .vital: "vital"
        case .event: "event"
        }
    }
}
