public import Readings

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
