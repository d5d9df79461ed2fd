/// The result of one check.
public struct Finding: Codable, Equatable, Sendable {
    /// The part of the installation that a finding belongs to.
    public enum Area: String, CaseIterable, Codable, Sendable {
        // In display order.
        case database, settings, tables, machine, disks, tls, spool, keys, work
    }

    /// The part of the installation.
    public let area: Area
    /// The name of the check. Area and name together are stable across versions.
    public let name: String
    /// How serious it is.
    public let severity: Severity
    /// What was found, with a figure if possible.
    public let found: String
    /// Why it matters, in one or two sentences; nil if the severity is ``Severity/ok``.
    public let reason: String?
    /// What to do: commands and settings, one per element.
    public let fix: [String]

    /// A finding with the given values.
    public init(
        area: Area, name: String, severity: Severity, found: String, reason: String?, fix: [String]
    ) {
        (self.area, self.name, self.severity) = (area, name, severity)
        (self.found, self.reason, self.fix) = (found, reason, fix)
    }

    /// The same with another command where a fix begins with `command`.
    package func replacingFix(_ command: String, with other: String) -> Finding {
        Finding(
            area: area, name: name, severity: severity, found: found, reason: reason,
            fix: fix.map { $0.hasPrefix(command) ? other + $0.dropFirst(command.count) : $0 })
    }
}
