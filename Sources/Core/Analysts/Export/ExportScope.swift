import Postgres
public import Readings
import Synchronization

/// Restricts an export; all conditions must hold.
public struct ExportScope: Sendable {
    /// Any of these devices; empty: all. Lower-case, as they are stored.
    public var devices: [String] = []
    /// Readings of any of these users; empty: of all.
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

    /// An SQL condition on the column `user_id`.
    var userCondition: String {
        users.isEmpty
            ? "true"
            : "user_id = ANY (ARRAY[\(users.map(\.sqlLiteral).joined(separator: ", "))]::text[])"
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
