/// The vocabulary of telemetry: what a reading is, whose it is, when it is valid, and why one is
/// quarantined. Values only, no I/O; every other module uses these terms.
///
/// A *batch* is one request body: an envelope (`metadata`) and its *readings* (`data`).
/// A reading is of one kind and belongs to one device. Its identity is its device, kind, time and
/// values, which is exactly the bytes of its COPY BINARY tuple: two readings are the same when
/// those bytes are.
///
/// To add a kind: a case of ``ReadingKind``, its ``ReadingSchema``, its reasons in
/// ``QuarantineReason``, a migration and its part of the OpenAPI document. All else follows from
/// the schema. The compiler asks for the first two; tests compare the others with the schema.

/// The kind of a reading, one table each.
public enum ReadingKind: UInt8, CaseIterable, Sendable, Codable {
    case gps = 0
    case vital = 1
    case event = 2

    /// Its fields and their rules.
    public var schema: ReadingSchema {
        switch self {
        case .gps: .gps
        case .vital: .vital
        case .event: .event
        }
    }

    /// The name in the `type` field of the wire format, and of the table.
    public var name: String { schema.name }
}
