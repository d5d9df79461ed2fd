import HTTP
import Ingest
import Retention
import SpoolLog

extension Settings {
    /// Settings that are valid alone but not together.
    static func contradictions(of configuration: ServiceConfiguration) -> [ConfigurationProblem] {
        reversedLimits(of: configuration) + obstaclesToReplication(of: configuration)
            + contradictions(of: configuration.retention)
            + configuration.missingBucketKeys(
                of: "SLUICE_ARCHIVE_DIRECTORY", isBucket: configuration.retention.isBucket)
            + missingPartners(of: configuration)
            + configuration.apps.flatMap { $0.contradictions(of: configuration) }
    }

    /// Settings that may stand, but turn off more than their name says.
    static func cautions(of configuration: ServiceConfiguration) -> [ConfigurationProblem] {
        var cautions: [ConfigurationProblem] = []
        // A private cluster has no standbys.
        if configuration.spool.bytesMax == 0, configuration.ingestion.unreplicatedBytesMax > 0,
            configuration.databaseURL != nil
        {
            cautions.append(
                ConfigurationProblem(
                    key: "SLUICE_SPOOL_BYTES_MAX",
                    rule:
                        "is 0, which turns SLUICE_UNREPLICATED_BYTES_MAX off too: a failover loses "
                        + "acknowledged data that no standby has yet"))
        }
        return cautions
    }

    /// Settings that are below the setting that they must reach.
    private static func reversedLimits(
        of configuration: ServiceConfiguration
    ) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        func require(_ holds: Bool, _ key: String, atLeast other: String) {
            if !holds {
                problems.append(ConfigurationProblem(key: key, rule: "must be at least \(other)"))
            }
        }
        let edge = configuration.edge
        require(
            edge.inFlightBytesMax >= edge.bodyBytesMax, "SLUICE_IN_FLIGHT_BYTES_MAX",
            atLeast: "SLUICE_BODY_BYTES_MAX")
        require(
            edge.lingerBytesMax >= edge.keptRestBytesMax, "SLUICE_LINGER_BYTES_MAX",
            atLeast: "SLUICE_KEPT_REST_BYTES_MAX")
        let spool = configuration.spool
        require(
            spool.bytesMax == 0 || spool.bytesMax >= 2 * spool.segmentBytesMax,
            "SLUICE_SPOOL_BYTES_MAX", atLeast: "twice SLUICE_SPOOL_SEGMENT_BYTES, or 0")
        require(
            configuration.ingestion.backoffMax >= configuration.ingestion.backoffMin,
            "SLUICE_BACKOFF_MAX", atLeast: "SLUICE_BACKOFF_MIN")
        return problems
    }

    /// Settings that keep `SLUICE_DURABILITY=replicated` from holding.
    private static func obstaclesToReplication(
        of configuration: ServiceConfiguration
    ) -> [ConfigurationProblem] {
        guard configuration.ingestion.durability == .replicated else { return [] }
        var problems: [ConfigurationProblem] = []
        let needed = [
            ("SLUICE_SPOOL_BYTES_MAX", configuration.spool.bytesMax),
            ("SLUICE_UNREPLICATED_BYTES_MAX", configuration.ingestion.unreplicatedBytesMax),
        ]
        for (key, value) in needed where value == 0 {
            problems.append(
                ConfigurationProblem(
                    key: key, rule: "must be more than 0 with SLUICE_DURABILITY=replicated"))
        }
        if configuration.coordinatorURL != nil {
            problems.append(
                ConfigurationProblem(
                    key: "SLUICE_DURABILITY",
                    rule: "can't be replicated on Citus: failovers of workers go unnoticed"))
        }
        return problems
    }

    /// Settings that another setting needs.
    private static func missingPartners(
        of configuration: ServiceConfiguration
    ) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        func require(_ holds: Bool, _ key: String, with other: String) {
            if !holds {
                problems.append(ConfigurationProblem(key: key, rule: "is needed with \(other)"))
            }
        }
        require(
            configuration.coordinatorURL == nil || configuration.databaseURL != nil,
            "SLUICE_DATABASE_URL", with: "SLUICE_COORDINATOR_URL")
        let (certificate, key) = (
            configuration.callers.certificatePath, configuration.callers.keyPath
        )
        require(certificate.isEmpty || !key.isEmpty, "SLUICE_TLS_KEY", with: "SLUICE_TLS_CERT")
        require(key.isEmpty || !certificate.isEmpty, "SLUICE_TLS_CERT", with: "SLUICE_TLS_KEY")
        return problems
    }
}

extension Settings {
    /// A configuration file that sets nothing: every key with its default, commented out.
    public var exampleFile: String {
        var lines = [
            "# Configuration of Sluice: KEY=value lines, for `sluice serve --config FILE`, and for",
            "# systemd's EnvironmentFile. The same keys work in the environment and after --set.",
            "# The command line overrides the environment, and the environment overrides the file.",
            "# Every line here shows a default. A blank value also means the default. Quotes around a",
            "# whole value are removed; a comment has a line of its own.",
        ]
        for section in sections {
            lines += ["", "# --- \(section.title)"]
            for setting in section.settings {
                lines += [""] + Self.wrapped(setting.summary).map { "# \($0)" }
                lines += Self.wrapped("Must be \(setting.rule).").map { "# \($0)" }
                lines.append("#\(setting.key)=\(setting.defaultText)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Every key with its meaning and default, for a terminal.
    public var helpText: String {
        sections.map { section in
            let entries = section.settings.map { setting in
                let value = setting.defaultText.isEmpty ? "" : "  (\(setting.defaultText))"
                let lines = Self.wrapped(setting.summary, width: 70).map { "      \($0)" }
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
