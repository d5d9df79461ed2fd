public import Postgres
public import Readings
import Synchronization

/// Takes data out of the database into files: rows as CSV or NDJSON, tracks as GPX or GeoJSON.
///
/// It reads nothing but the views of the schema `analytics`, so that an analyst's role is enough and
/// `\d+ analytics.gps` tells what the columns mean. What is read goes straight out: rows are made by
/// the server's COPY and passed on as they come, of a track no more than 10 000 positions are held at
/// a time, and the output's buffer has 256 KiB. So the memory is the same for a thousand rows and for
/// a thousand million. The server does not sort more than a day of rows, or a device's positions of
/// 32 days, at a time either.
///
/// Each day (rows) or device and stretch of days (tracks) is a statement of its own, and sees what was
/// committed before it began. One snapshot for all would keep the server from cleaning up behind the
/// lanes for as long as the export takes.
///
/// A file comes into being whole: it is written beside its name as `NAME.part`, brought to disk, and
/// renamed. An export that ends early removes that; one that is killed leaves it, and the next one
/// writes over it. When the disk is full, the export ends with the disk's own error.
public enum Export {
    /// The most positions in one LineString.
    public static let featurePositionsMax = 10_000
    /// For each statement: a reader of the output may be slow.
    static let statementLimit: Duration = .seconds(86_400)
}

/// Why an export ended early. Nothing is left at its output's name.
public enum ExportFault: Error {
    /// ``ExportStop/stop()`` was called.
    case interrupted
    /// Nobody reads the output any more.
    case brokenPipe
    /// Another export is writing this file.
    case outputInUse(path: String)
    /// What the operating system refused.
    case outputFailed(path: String, operation: String, errno: Int32)
    /// Named, but nothing is known of them.
    case unknown(devices: [String], users: [String])
    /// Devices and users were named, all known, and none of the devices is one of theirs.
    case noneOfUsers
    /// The database has no such views: its schema is older than this binary.
    case schemaOlder
    /// The server, or the way to it.
    case database(PostgresError)
}

/// What an export is narrowed to; all conditions must hold.
public struct ExportScope: Sendable {
    /// Any of these; none: all devices. Lower-case, as they are stored.
    public var devices: [String] = []
    /// Devices of any of these users.
    public var users: [String] = []
    /// From this moment on.
    public var from: Timestamp?
    /// Up to but not including this moment.
    public var to: Timestamp?

    /// Everything.
    public init() {}

    var namesDevices: Bool { !devices.isEmpty || !users.isEmpty }

    /// A condition of SQL about `column`, a time.
    func condition(on column: String) -> String {
        var conditions = ["true"]
        if let from { conditions.append("\(column) >= '\(from.microsecondsText)'") }
        if let to { conditions.append("\(column) < '\(to.microsecondsText)'") }
        return conditions.joined(separator: " AND ")
    }

    /// The part of a stretch of days that is wanted.
    func window(firstDay: Int32, lastDay: Int32) -> ExportScope {
        var scope = self
        let (start, end) = (Self.start(ofDay: firstDay), Self.start(ofDay: lastDay + 1))
        scope.from = max(from ?? start, start)
        scope.to = min(to ?? end, end)
        return scope
    }

    /// Whether any moment of a day is wanted.
    func touches(day: Int32) -> Bool {
        let window = window(firstDay: day, lastDay: day)
        guard let from = window.from, let to = window.to else { return true }
        return from < to
    }

    private static func start(ofDay day: Int32) -> Timestamp {
        Timestamp(microseconds: Int64(day) * Timestamp.microsecondsPerDay)
    }
}

/// Lets another thread, a signal's for instance, end an export.
public final class ExportStop: Sendable {
    private struct State {
        var isAsked = false
        var canceller: Canceller?
    }

    private let state = Mutex(State())

    /// Not asked yet.
    public init() {}

    /// Whether ``stop()`` was called.
    public var isAsked: Bool { state.withLock { $0.isAsked } }

    /// Cancels what the server is doing, too. Blocks until the server has taken that.
    public func stop() {
        let canceller = state.withLock { state in
            state.isAsked = true
            return state.canceller
        }
        canceller?.cancel()
    }

    /// What is to be cancelled while `body` runs.
    func guarding<Value>(
        _ canceller: Canceller, _ body: () throws(ExportFault) -> Value
    ) throws(ExportFault) -> Value {
        let isAsked = state.withLock { state in
            state.canceller = canceller
            return state.isAsked
        }
        if isAsked { throw .interrupted }
        defer { state.withLock { $0.canceller = nil } }
        return try body()
    }
}

/// What can be exported as rows: a view of `analytics` with the same name and columns.
public enum ExportTable: Hashable, Sendable {
    case readings(ReadingKind)
    case other(Other)

    /// Views that are not of a kind of readings.
    public enum Other: String, CaseIterable, Sendable {
        case vitalMinute = "vital_minute"
        case distanceMinute = "distance_minute"
        case quarantine
        case device
        case completeness
    }

    /// The kind of readings whose days it has; nil: it is read in one go.
    var dayKind: ReadingKind? {
        switch self {
        case .readings(let kind): kind
        case .other(.distanceMinute): .gps
        case .other(.vitalMinute): .vital
        case .other(.quarantine), .other(.device), .other(.completeness): nil
        }
    }

    /// The column that a stretch of time is about; nil: it has none.
    public var timeColumn: String? {
        switch self {
        case .readings, .other(.vitalMinute), .other(.distanceMinute): "time"
        case .other(.quarantine): "received_at"
        case .other(.device), .other(.completeness): nil
        }
    }

    /// The same rows come in the same order, whatever the server's locale.
    var order: String {
        let device = #"device_id COLLATE "C""#
        return switch self {
        case .readings(let kind):
            ([device, "time"] + kind.schema.fields.map(\.viewColumn)).joined(separator: ", ")
        case .other(.vitalMinute): "\(device), time, code"
        case .other(.distanceMinute): "\(device), time"
        case .other(.quarantine): "received_at, digest"
        case .other(.device), .other(.completeness): device
        }
    }
}

/// By the view's name.
extension ExportTable: CaseIterable, RawRepresentable {
    /// Readings first.
    public static let allCases =
        ReadingKind.allCases.map { ExportTable.readings($0) }
        + Other.allCases.map { ExportTable.other($0) }

    /// nil for all else.
    public init?(rawValue: String) {
        guard let table = Self.allCases.first(where: { $0.rawValue == rawValue }) else {
            return nil
        }
        self = table
    }

    /// Of the view.
    public var rawValue: String {
        switch self {
        case .readings(let kind): kind.name
        case .other(let view): view.rawValue
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
