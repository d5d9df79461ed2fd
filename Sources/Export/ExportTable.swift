/// What can be exported as rows: a view of `analytics` with the same name and columns.
public enum ExportTable: String, CaseIterable, Sendable {
    case gps
    case vital
    case event
    case vitalMinute = "vital_minute"
    case distanceMinute = "distance_minute"
    case quarantine
    case device
    case completeness

    /// The kind of readings whose days it has; nil: it is read in one go.
    var dayKind: String? {
        switch self {
        case .gps, .distanceMinute: "gps"
        case .vital, .vitalMinute: "vital"
        case .event: "event"
        case .quarantine, .device, .completeness: nil
        }
    }

    /// The column that a stretch of time is about; nil: it has none.
    public var timeColumn: String? {
        switch self {
        case .gps, .vital, .event, .vitalMinute, .distanceMinute: "time"
        case .quarantine: "received_at"
        case .device, .completeness: nil
        }
    }

    /// The same rows come in the same order, whatever the server's locale.
    var order: String {
        let device = #"device_id COLLATE "C""#
        return switch self {
        case .gps: "\(device), time, latitude, longitude, accuracy_m"
        case .vital: "\(device), time, code, value"
        case .event: "\(device), time, label, value, metadata"
        case .vitalMinute: "\(device), time, code"
        case .distanceMinute: "\(device), time"
        case .quarantine: "received_at, digest"
        case .device, .completeness: device
        }
    }
}

/// How rows are written.
public enum RowFormat: String, CaseIterable, Sendable {
    /// RFC 4180 with a header; null is empty, an empty text is `""`.
    case csv
    /// A JSON object a line.
    case ndjson
}
