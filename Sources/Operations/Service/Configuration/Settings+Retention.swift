import Foundation
import Readings
import Retention

/// How long data is kept.
extension Settings {
    static let retention: [Setting] = [
        .integer(
            "SLUICE_RETENTION_DAYS", \.retention.readingDays, 0...36_500,
            "Days that readings stay in the tables; then a day leaves, by night, as a whole. 0: they "
                + "stay for ever. Readings are taken up to a day before they would leave, and older ones "
                + "are quarantined. Not 1."),
        .text(
            "SLUICE_ARCHIVE_DIRECTORY", \.retention.archiveDirectory,
            rule: "a directory, or none",
            "Where days go that leave, as LZ4 files with a manifest; see `sluice archive`. A directory "
                + "that is there: it is not made, lest a disk is not mounted. none: they are "
                + "dropped for good, at most three days of a table by night. Needed with "
                + "SLUICE_RETENTION_DAYS. With several nodes: one directory that all of them reach; "
                + "never one for two databases.",
            isValid: { $0 == $0.trimmingCharacters(in: .whitespaces) }),
        .integer(
            "SLUICE_ROLLUP_RETENTION_DAYS", \.retention.rollupDays, 0...36_500,
            "Days that sums by hour stay, which are small; then they leave as readings do. 0: they stay "
                + "for ever. Not less than SLUICE_RETENTION_DAYS."),
        .integer(
            "SLUICE_QUARANTINE_DAYS", \.retention.quarantineDays, 0...36_500,
            "Days that faulty readings stay in quarantine; then they are removed. 0: they stay for ever."
        ),
        .duration(
            "SLUICE_LEFTOVER_AGE_MAX", \.retention.leftoverAge,
            .seconds(86_400)...(.seconds(36_500 * 86_400)),
            "How long what nobody comes for is kept: results for users who do not connect any more, dead "
                + "jobs, and the signs of life of processes that are gone."),
    ]

    /// Limits that are valid alone but not together.
    static func contradictions(of retention: RetentionConfiguration) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        if retention.readingDays == 1 {
            problems.append(
                ConfigurationProblem(key: "SLUICE_RETENTION_DAYS", rule: "must be 0, or at least 2")
            )
        }
        if (1..<max(retention.readingDays, 1)).contains(retention.rollupDays) {
            problems.append(
                ConfigurationProblem(
                    key: "SLUICE_ROLLUP_RETENTION_DAYS",
                    rule: "must be at least SLUICE_RETENTION_DAYS, or 0"))
        }
        if retention.readingDays > 0, retention.archiveDirectory.isEmpty {
            problems.append(
                ConfigurationProblem(
                    key: "SLUICE_ARCHIVE_DIRECTORY",
                    rule: "is needed with SLUICE_RETENTION_DAYS: a directory, or none to drop days "
                        + "for good"))
        }
        if retention.rollupDays > 0, retention.readingDays == 0 {
            problems.append(
                ConfigurationProblem(
                    key: "SLUICE_RETENTION_DAYS",
                    rule: "is needed with SLUICE_ROLLUP_RETENTION_DAYS"))
        }
        return problems
    }
}

extension ServiceConfiguration {
    /// ``limits`` with the age of readings limited by the retention.
    var fittingLimits: ReadingLimits {
        var fitting = limits
        fitting.ageMax = min(limits.ageMax, retention.acceptedAgeMax ?? limits.ageMax)
        return fitting
    }
}
