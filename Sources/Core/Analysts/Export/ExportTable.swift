import Postgres
public import Readings
import Synchronization

/// A table that can be exported as rows: a view of `analytics` with the same name and columns.
/// It is not in `Schema.tables`: a view has an order of its own, and most views join tables.
public enum ExportTable: Hashable, Sendable {
    case readings(ReadingKind)
    case other(Other)

    /// Views that do not hold readings.
    public enum Other: String, CaseIterable, Sendable {
        case vitalMinute = "vital_minute"
        case distanceMinute = "distance_minute"
        case vitalHour = "vital_hour"
        case distanceHour = "distance_hour"
        case vitalDay = "vital_day"
        case deviceDay = "device_day"
        case vitalLocalDay = "vital_local_day"
        case deviceLocalDay = "device_local_day"
        case session
        case quarantine
        case device
        case completeness
        case metric
        case appUser = "app_user"
        case capture
        case captureAnalysis = "capture_analysis"
        case contact
        case hourSummary = "hour_summary"
        case daySummary = "day_summary"
        case meal
        case mealItem = "meal_item"
        case mood
        case memory
        case calendarEvent = "calendar_event"
        case file
    }

    /// What `--device` and `--user` can select rows by.
    enum Owner {
        case deviceAndUser
        /// What the apps have.
        case user
        case nobody
    }

    var owner: Owner {
        switch self {
        case .readings: .deviceAndUser
        case .other(let view):
            switch view {
            case .vitalMinute, .distanceMinute, .vitalHour, .distanceHour, .vitalDay, .deviceDay,
                .vitalLocalDay, .deviceLocalDay, .session, .quarantine, .device, .completeness:
                .deviceAndUser
            case .metric: .nobody
            case .appUser, .capture, .captureAnalysis, .contact, .hourSummary, .daySummary, .meal,
                .mealItem, .mood, .memory, .calendarEvent, .file:
                .user
            }
        }
    }

    /// Whether ``ExportScope/devices`` may name any.
    public var hasDevices: Bool { owner == .deviceAndUser }
    /// Whether ``ExportScope/users`` may name any.
    public var hasUsers: Bool { owner != .nobody }

    /// The kind of readings whose days it is split into; nil: it is read with one statement.
    var dayKind: ReadingKind? {
        switch self {
        case .readings(let kind): kind
        case .other(.distanceMinute): .gps
        case .other(.vitalMinute): .vital
        case .other: nil
        }
    }

    /// The column that ``ExportScope/from`` and ``ExportScope/to`` apply to; nil: there is none.
    public var timeColumn: String? {
        switch self {
        case .readings: "time"
        case .other(let view):
            switch view {
            case .vitalMinute, .distanceMinute, .vitalHour, .distanceHour, .hourSummary: "time"
            case .vitalDay, .deviceDay, .vitalLocalDay, .deviceLocalDay, .daySummary: "day"
            case .session: "started"
            case .quarantine: "received_at"
            case .capture, .captureAnalysis: "captured_at"
            case .meal, .mealItem: "logged_at"
            case .mood, .memory: "created_at"
            case .calendarEvent: "starts_at"
            case .file: "stored_at"
            case .device, .completeness, .metric, .appUser, .contact: nil
            }
        }
    }

    /// `ORDER BY` columns that give the same order whatever the server's locale.
    var order: String {
        let device = #"device_id COLLATE "C""#
        let user = #"user_id COLLATE "C""#
        return switch self {
        case .readings(let kind):
            ([device, "time"] + kind.schema.fields.map(\.viewColumn) + [user])
                .joined(separator: ", ")
        case .other(let view):
            switch view {
            case .vitalMinute, .vitalHour: "\(device), time, code, \(user)"
            case .distanceMinute, .distanceHour: "\(device), time, \(user)"
            case .vitalDay, .vitalLocalDay: "\(device), day, code, \(user)"
            case .deviceDay, .deviceLocalDay: "\(device), day, \(user)"
            case .session: "\(device), started, \(user)"
            case .quarantine: "received_at, digest"
            case .device, .completeness: "\(device), \(user)"
            case .metric: "code"
            case .appUser: user
            case .capture, .captureAnalysis: #"\#(user), captured_at, capture_id COLLATE "C""#
            case .contact: #"\#(user), name COLLATE "C""#
            case .hourSummary: "\(user), time"
            case .daySummary: "\(user), day"
            case .meal: "\(user), logged_at, meal_id"
            case .mealItem: "\(user), logged_at, meal_id, order_index"
            case .mood: #"\#(user), created_at, mood_id COLLATE "C""#
            case .memory: #"\#(user), created_at, memory_id COLLATE "C""#
            case .calendarEvent: #"\#(user), starts_at, calendar_event_id COLLATE "C""#
            case .file: #"\#(user), path COLLATE "C""#
            }
        }
    }
}

/// The raw value is the view's name.
extension ExportTable: CaseIterable, RawRepresentable {
    /// The readings come first.
    public static let allCases =
        ReadingKind.allCases.map { ExportTable.readings($0) }
        + Other.allCases.map { ExportTable.other($0) }

    /// nil: no view has that name.
    public init?(rawValue: String) {
        guard let table = Self.allCases.first(where: { $0.rawValue == rawValue }) else {
            return nil
        }
        self = table
    }

    /// The view's name.
    public var rawValue: String {
        switch self {
        case .readings(let kind): kind.name
        case .other(let view): view.rawValue
        }
    }
}
