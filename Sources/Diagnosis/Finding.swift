/// One thing that was looked at.
public struct Finding: Codable, Equatable, Sendable {
    /// What it is about.
    public enum Area: String, CaseIterable, Codable, Sendable {
        // In the order in which they are shown.
        case database, settings, tables, machine, disks, tls, spool, keys, work
    }

    /// Part of the installation.
    public let area: Area
    /// What was looked at; with the area, the same in every version.
    public let name: String
    /// How bad it is.
    public let severity: Severity
    /// As a figure where there is one.
    public let found: String
    /// Why it matters, in a sentence; nil where all is well.
    public let reason: String?
    /// What to do: commands and settings, a line each.
    public let fix: [String]

    /// As it is.
    public init(
        area: Area, name: String, severity: Severity, found: String, reason: String?, fix: [String]
    ) {
        (self.area, self.name, self.severity) = (area, name, severity)
        (self.found, self.reason, self.fix) = (found, reason, fix)
    }

    /// All is well.
    static func ok(_ area: Area, _ name: String, _ found: String) -> Finding {
        Finding(area: area, name: name, severity: .ok, found: found, reason: nil, fix: [])
    }

    /// All is not well.
    static func not(
        _ severity: Severity, _ area: Area, _ name: String, _ found: String, why: String,
        fix: String...
    ) -> Finding {
        Finding(
            area: area, name: name, severity: severity, found: found, reason: why, fix: fix)
    }
}
