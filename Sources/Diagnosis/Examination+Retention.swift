extension Examination {
    /// Days that are to leave.
    static func retention(_ facts: Facts) -> [Finding] {
        let retention = facts.retention
        guard retention.days > 0 else { return [.ok(.tables, "retention", "readings stay")] }
        let after = "after \(retention.days) days"
        var findings: [Finding] = []
        switch retention.destination {
        case .directory(let path, isThere: true):
            findings.append(.ok(.tables, "retention", "\(after) into \(path)"))
        case .directory(let path, isThere: false):
            findings.append(
                .not(
                    .problem, .tables, "retention", "\(path) is not there",
                    why: "No day leaves the tables until it is. It is not made, lest days are "
                        + "written beside a disk that is not mounted.",
                    fix: "mount it, or: mkdir -m 700 \(path)   # and chown it to who runs sluice"))
        case .nowhere:
            findings.append(
                .not(
                    .notice, .tables, "retention", "\(after), for good",
                    why: "SLUICE_ARCHIVE_DIRECTORY is none: a day that leaves is in no file, and "
                        + "can't be brought back.",
                    fix: "SLUICE_ARCHIVE_DIRECTORY=…   # a directory, to keep them"))
        }
        guard case .reached(let database) = facts.database,
            let quiet = database.tables.quietSeconds, quiet > retention.quietDaysMax * 86_400
        else { return findings }
        findings.append(
            .not(
                .warning, .tables, "retention, clock",
                "the newest reading is \(Figures.seconds(Double(quiet))) old",
                why: "Days leave only while readings come, for a clock that is far ahead would "
                    + "make every day an old one. So the last days stay.",
                fix: "date; sluice psql -c 'select now()'   # and if both are right:",
                "sluice archive run --trust-clock"))
        return findings
    }
}
