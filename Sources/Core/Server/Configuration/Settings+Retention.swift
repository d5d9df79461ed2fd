import Readings
public import Retention

/// How long data is kept.
extension Settings {
    static let retention: [Setting] = [
        .days(
            "SLUICE_RETENTION", \.retention.readingDays, 0...36_500,
            "How long readings stay in the tables; then whole days are archived at night. 0d: for "
                + "ever. Readings are accepted until a day before they would be archived; older "
                + "ones are quarantined. Must not be 1d."
        ).formerly("SLUICE_RETENTION_DAYS", unit: "d"),
        .text(
            "SLUICE_ARCHIVE_DIRECTORY", \.retention.archiveDirectory,
            rule: "a directory, s3://bucket/prefix?endpoint=https://host&region=name, or none",
            "Where days are archived: compressed CSV files with a manifest; see `sluice archive`. "
                + "A directory must exist: it is not created, because its disk may not be mounted. A "
                + "bucket needs a server that knows If-None-Match with a PUT. none: days are dropped "
                + "permanently, at most three days of a table per night. Required with "
                + "SLUICE_RETENTION. Several nodes must share one directory or bucket; two "
                + "databases must not share a directory, or a bucket's prefix.",
            isValid: RetentionConfiguration.isDestination),
        .days(
            "SLUICE_ROLLUP_RETENTION", \.retention.rollupDays, 0...36_500,
            "How long the (small) hourly rollups stay; then they are archived like readings. 0d: "
                + "for ever. Must not be less than SLUICE_RETENTION."
        ).formerly("SLUICE_ROLLUP_RETENTION_DAYS", unit: "d"),
        .days(
            "SLUICE_SEAL_AFTER", \.retention.sealAfterDays, 0...36_500,
            derived: { $0.fittingRetention.sealAfterDays ?? 0 },
            "How long after its end a day of readings is sealed: packed into about a tenth of the "
                + "space, behind the same tables and views. Late readings are still accepted. A day "
                + "of a table of less than 256 KiB stays live. 0d: "
                + "never, and sealed days stay sealed. Blank: 2d in the private cluster, and 0d with "
                + "SLUICE_DATABASE_URL. Needs the extension postgres_fdw, and rights "
                + "of a superuser, as in the private cluster; see sql/README.md. Not for Citus."
        ).formerly("SLUICE_SEAL_AFTER_DAYS", unit: "d"),
        .days(
            "SLUICE_QUARANTINE_RETENTION", \.retention.quarantineDays, 0...36_500,
            "How long faulty readings stay in quarantine; then they are deleted. 0d: for ever."
        ).formerly("SLUICE_QUARANTINE_DAYS", unit: "d"),
        .duration(
            "SLUICE_LEFTOVER_AGE_MAX", \.retention.leftoverAge,
            .seconds(86_400)...(.seconds(36_500 * 86_400)),
            "How long unclaimed rows are kept: results for users who no longer connect, dead jobs, "
                + "and heartbeats of ended processes."),
    ]

    /// Limits that are valid alone but not together.
    static func contradictions(of retention: RetentionConfiguration) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        if retention.readingDays == 1 {
            problems.append(
                ConfigurationProblem(key: "SLUICE_RETENTION", rule: "must be 0d, or at least 2d")
            )
        }
        if (1..<max(retention.readingDays, 1)).contains(retention.rollupDays) {
            problems.append(
                ConfigurationProblem(
                    key: "SLUICE_ROLLUP_RETENTION",
                    rule: "must be at least SLUICE_RETENTION, or 0d"))
        }
        if retention.readingDays > 0, retention.archiveDirectory.isEmpty {
            problems.append(
                ConfigurationProblem(
                    key: "SLUICE_ARCHIVE_DIRECTORY",
                    rule: "is needed with SLUICE_RETENTION: a directory, an S3 bucket, or none to "
                        + "drop days permanently"))
        }
        if retention.rollupDays > 0, retention.readingDays == 0 {
            problems.append(
                ConfigurationProblem(
                    key: "SLUICE_RETENTION",
                    rule: "is needed with SLUICE_ROLLUP_RETENTION"))
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

    /// ``retention`` with the keys of buckets, and with what seals days where nothing is said: a
    /// database of the operator's needs an extension and rights for it, the private one has them.
    public var fittingRetention: RetentionConfiguration {
        var fitting = retention
        fitting.credentials = bucketCredentials
        fitting.sealAfterDays = retention.sealAfterDays ?? (databaseURL == nil ? 2 : 0)
        return fitting
    }
}
