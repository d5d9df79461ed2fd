public import Postgres
public import Readings
import Synchronization

/// Exports data from the database to files: rows as CSV or NDJSON, tracks as GPX or GeoJSON.
///
/// An export reads only the views of the schema `analytics`, so an analyst's role is enough and
/// `\d+ analytics.gps` documents the columns. Data is streamed: the server's COPY makes the rows
/// and they are passed on as they arrive. At most 10 000 positions of a track are held at a time,
/// and the output has a buffer of 256 KiB. So the memory does not depend on the number of rows. The
/// server sorts at most one day of rows, or 32 days of one device's positions, at a time; a table
/// without days is read with one statement.
///
/// Each day (rows), or device and window of days (tracks), is a statement of its own and sees what
/// was committed before it began. One snapshot for the whole export would hold back VACUUM as long
/// as the export takes.
///
/// A file appears only when it is complete: it is written as `NAME.part` beside its final name,
/// synced, and renamed. An export that ends early removes `NAME.part`; one that is killed leaves
/// it, and the next export overwrites it. If the disk is full, the export ends with the operating
/// system's error.
public enum Export {
    /// Maximum number of positions in one LineString.
    public static let featurePositionsMax = 10_000
    /// Timeout of each statement. It is long because the reader of the output may be slow.
    static let statementLimit: Duration = .seconds(86_400)
}

/// Why an export ended early. No file was created or replaced.
public enum ExportFault: Error {
    /// ``ExportStop/stop()`` was called.
    case interrupted
    /// The reader of the output has closed it.
    case brokenPipe
    /// Another export is writing this file.
    case outputInUse(path: String)
    /// An operation that the operating system refused.
    case outputFailed(path: String, operation: String, errno: Int32)
    /// Names in the scope that are not in the database.
    case unknown(devices: [String], users: [String])
    /// The named devices and users are known, but none of the devices belongs to one of the users.
    case noneOfUsers
    /// The views do not exist: the schema is older than this binary.
    case schemaOlder
    /// The server reported an error, or the connection failed.
    case database(PostgresError)
}

/// Restricts an export; all conditions must hold.
public struct ExportScope: Sendable {
    /// Any of these devices; empty: all. Lower-case, as they are stored.
    public var devices: [String] = []
    /// Devices of any of these users.
    public var users: [String] = []
    /// Start, included.
    public var from: Timestamp?
    /// End, excluded.
    public var to: Timestamp?

    /// No restriction.
    public init() {}

    var namesDevices: Bool { !devices.isEmpty || !users.isEmpty }

    /// An SQL condition on the time column `column`.
    func condition(on column: String) -> String {
        var conditions = ["true"]
        if let from { conditions.append("\(column) >= '\(from.microsecondsText)'") }
        if let to { conditions.append("\(column) < '\(to.microsecondsText)'") }
        return conditions.joined(separator: " AND ")
    }

    /// This scope, restricted to the days from `firstDay` to `lastDay`.
    func window(firstDay: Int32, lastDay: Int32) -> ExportScope {
        var scope = self
        let (start, end) = (Self.start(ofDay: firstDay), Self.start(ofDay: lastDay + 1))
        scope.from = max(from ?? start, start)
        scope.to = min(to ?? end, end)
        return scope
    }

    /// Whether the scope includes any moment of a day.
    func touches(day: Int32) -> Bool {
        let window = window(firstDay: day, lastDay: day)
        guard let from = window.from, let to = window.to else { return true }
        return from < to
    }

    private static func start(ofDay day: Int32) -> Timestamp {
        Timestamp(microseconds: Int64(day) * Timestamp.microsecondsPerDay)
    }
}

/// Lets another thread, such as a signal handler's, end an export.
public final class ExportStop: Sendable {
    private struct State {
        var isAsked = false
        var canceller: Canceller?
    }

    private let state = Mutex(State())

    /// A stop that was not requested yet.
    public init() {}

    /// Whether ``stop()`` was called.
    public var isAsked: Bool { state.withLock { $0.isAsked } }

    /// Requests the end of the export and cancels the server's current statement. Blocks until the
    /// server has received that.
    public func stop() {
        let canceller = state.withLock { state in
            state.isAsked = true
            return state.canceller
        }
        canceller?.cancel()
    }

    /// Registers `canceller` as the target of ``stop()`` while `body` runs.
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

/// A table that can be exported as rows: a view of `analytics` with the same name and columns.
/// It is not in `Schema.tables`: a view has an order of its own, and most views join tables.
public enum ExportTable: Hashable, Sendable {
    case readings(ReadingKind)
    case other(Other)

    /// Views that do not hold readings.
    public enum Other: String, CaseIterable, Sendable {
        case vitalMinute = "vital_minute"
        case distanceMinute = "distance_minute"
        case quarantine
        case device
        case completeness
    }

    /// The kind of readings whose days it is split into; nil: it is read with one statement.
    var dayKind: ReadingKind? {
        switch self {
        case .readings(let kind): kind
        case .other(.distanceMinute): .gps
        case .other(.vitalMinute): .vital
        case .other(.quarantine), .other(.device), .other(.completeness): nil
        }
    }

    /// The column that ``ExportScope/from`` and ``ExportScope/to`` apply to; nil: there is none.
    public var timeColumn: String? {
        switch self {
        case .readings, .other(.vitalMinute), .other(.distanceMinute): "time"
        case .other(.quarantine): "received_at"
        case .other(.device), .other(.completeness): nil
        }
    }

    /// `ORDER BY` columns that give the same order whatever the server's locale.
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

/// The formats of rows.
public enum RowFormat: String, CaseIterable, Sendable {
    /// RFC 4180 with a header; null is empty, an empty text is `""`.
    case csv
    /// One JSON object per line.
    case ndjson
}
