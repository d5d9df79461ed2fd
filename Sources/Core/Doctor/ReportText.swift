import JSONText

/// Formats findings as lines for a terminal. What devices and others have sent into them is made
/// harmless.
public struct ReportText {
    /// Width of the terminal in columns.
    public var width = 100
    /// Whether to use ANSI colours.
    public var isColoured = false
    /// Omits findings with severity ``Severity/ok``.
    public var isQuiet = false

    private static let indent = 11

    /// 100 columns, without colours.
    public init() {}

    /// All lines; the last one has the number of findings of each severity.
    public func lines(_ findings: [Finding]) -> [String] {
        let shown = findings.filter { !isQuiet || $0.severity > .ok }
        let nameWidth = min(shown.map(\.name.count).max() ?? 0, 30)
        var lines: [String] = []
        for area in Finding.Area.allCases {
            let ofArea = shown.filter { $0.area == area }
            guard !ofArea.isEmpty else { continue }
            if !lines.isEmpty { lines.append("") }
            lines.append(bold(area.title))
            for finding in ofArea { lines += self.lines(finding, nameWidth) }
        }
        if !lines.isEmpty { lines.append("") }
        return lines + [sums(findings)]
    }

    private func lines(_ finding: Finding, _ nameWidth: Int) -> [String] {
        let label = finding.severity.rawValue
        let head =
            "  " + coloured(label, finding.severity)
            + String(repeating: " ", count: Self.indent - 2 - label.count)
        let name =
            finding.name.harmlessOnTerminal()
            + String(repeating: " ", count: max(nameWidth - finding.name.count, 0))
        let room = width - Self.indent - nameWidth - 2
        var lines = wrap(finding.found, room).enumerated().map { place, line in
            place == 0
                ? head + name + "  " + line
                : String(repeating: " ", count: Self.indent + nameWidth + 2) + line
        }
        let margin = String(repeating: " ", count: Self.indent)
        if let reason = finding.reason {
            lines += wrap(reason, width - Self.indent).map { margin + $0 }
        }
        // Not wrapped, so that they can be copied.
        lines += finding.fix.map { margin + "→ " + bold($0.harmlessOnTerminal()) }
        return lines
    }

    private func sums(_ findings: [Finding]) -> String {
        let parts = Severity.allCases.reversed().map { severity in
            let count = findings.count { $0.severity == severity }
            let word =
                severity == .ok ? "ok" : count == 1 ? severity.rawValue : severity.rawValue + "s"
            return count > 0 ? coloured("\(count) \(word)", severity) : "\(count) \(word)"
        }
        return parts.joined(separator: ", ")
    }

    private func wrap(_ text: String, _ room: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace) {
            let word = String(word).harmlessOnTerminal()
            if let last = lines.last, last.count + word.count < max(room, 20) {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(word)
            }
        }
        return lines.isEmpty ? [""] : lines
    }

    private func bold(_ text: String) -> String {
        isColoured ? "\u{1B}[1m\(text)\u{1B}[0m" : text
    }

    private func coloured(_ text: String, _ severity: Severity) -> String {
        guard isColoured else { return text }
        let code =
            switch severity {
            case .ok: "32"
            case .notice: "36"
            case .warning: "33"
            case .problem: "1;31"
            }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}

extension Finding.Area {
    /// The heading of the area.
    var title: String {
        switch self {
        case .database: "Database"
        case .settings: "Settings of PostgreSQL"
        case .tables: "Tables"
        case .machine: "Machine"
        case .disks: "Disks"
        case .tls: "TLS"
        case .spool: "Spool"
        case .keys: "Access"
        case .work: "Work"
        }
    }
}
