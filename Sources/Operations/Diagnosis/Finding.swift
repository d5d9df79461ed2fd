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

    /// A finding without a fault.
    static func ok(_ area: Area, _ name: String, _ found: String) -> Finding {
        Finding(area: area, name: name, severity: .ok, found: found, reason: nil, fix: [])
    }

    /// A finding with a fault.
    static func not(
        _ severity: Severity, _ area: Area, _ name: String, _ found: String, why: String,
        fix: String...
    ) -> Finding {
        Finding(
            area: area, name: name, severity: severity, found: found, reason: why, fix: fix)
    }
}

/// The seriousness of a finding.
public enum Severity: String, CaseIterable, Comparable, Codable, Sendable {
    // In ascending order.
    case ok, notice, warning, problem

    /// By position in the list of cases.
    public static func < (left: Self, right: Self) -> Bool {
        (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
}

/// Formats figures for people.
enum Figures {
    /// `3.5 GiB`
    static func bytes(_ bytes: Int) -> String {
        var (value, unit) = (Double(bytes), 0)
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
        while value >= 1024, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
        return unit == 0 ? "\(bytes) B" : "\(rounded(value)) \(units[unit])"
    }

    /// `250 ms`, `3.2 s`, `5 min`, `2 h`, `3 days`
    static func seconds(_ seconds: Double) -> String {
        if seconds < 1 { return "\(Int((seconds * 1000).rounded())) ms" }
        if seconds < 120 { return "\(rounded(seconds)) s" }
        if seconds < 7200 { return "\(Int(seconds / 60)) min" }
        if seconds < 2 * 86_400 { return "\(Int(seconds / 3600)) h" }
        return "\(Int(seconds / 86_400)) days"
    }

    /// `1 234 567`
    static func count(_ count: Int) -> String {
        let digits = Array(String(count))
        var text = ""
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place) % 3 == 0 { text += "\u{2009}" }
            text.append(digit)
        }
        return text.replacing("\u{2009}", with: " ")
    }

    /// One decimal below ten, none from ten on.
    private static func rounded(_ value: Double) -> String {
        let tenths = (value * 10).rounded() / 10
        return tenths < 10 && tenths != tenths.rounded() ? "\(tenths)" : "\(Int(value.rounded()))"
    }
}
