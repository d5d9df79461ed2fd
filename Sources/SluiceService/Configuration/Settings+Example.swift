extension Settings {
    /// A configuration file that sets nothing: every key with its default, commented out.
    public static var exampleFile: String {
        var lines = [
            "# Configuration of Sluice: KEY=value lines, for `sluice serve --config FILE`, and for",
            "# systemd's EnvironmentFile. The same keys work in the environment and after --set.",
            "# Command line goes before environment, environment before file, file before default.",
            "# Every line here shows a default. A blank value means the default, too.",
        ]
        for section in sections {
            lines += ["", "# --- \(section.title)"]
            for setting in section.settings {
                lines += [""] + wrapped(setting.summary).map { "# \($0)" }
                lines += wrapped("Must be \(setting.rule).").map { "# \($0)" }
                lines.append("#\(setting.key)=\(setting.defaultText)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Every key with its meaning and default, for a terminal.
    public static var helpText: String {
        sections.map { section in
            let entries = section.settings.map { setting in
                let value = setting.defaultText.isEmpty ? "" : "  (\(setting.defaultText))"
                let lines = wrapped(setting.summary, width: 70).map { "      \($0)" }
                return "  \(setting.key)\(value)\n" + lines.joined(separator: "\n")
            }
            return "\(section.title):\n" + entries.joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private static func wrapped(_ text: String, width: Int = 76) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty && line.count + word.count + 1 > width {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        return lines + [line]
    }
}
