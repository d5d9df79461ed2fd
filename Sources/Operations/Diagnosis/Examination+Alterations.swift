extension Examination {
    /// What others than Sluice have made of its tables.
    static func alterations(_ database: DatabaseFacts) -> [Finding] {
        guard let found = database.alterations else { return [] }
        var findings = partitions(found) + writes(found) + [watermarks(found)].compactMap { $0 }
        if !found.unanswered.isEmpty {
            findings.append(
                .not(
                    .notice, .tables, "not examined", some(found.unanswered),
                    why: "The database did not answer these questions: a right is missing, a "
                        + "table is locked, or it is too busy.",
                    fix: "sluice doctor   # again, when it is less busy"))
        } else if findings.isEmpty {
            findings.append(.ok(.tables, "alterations", "none"))
        }
        return findings
    }

    /// The first three, and the number of the others.
    static func some(_ names: [String]) -> String {
        let more = names.count - 3
        return names.prefix(3).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }

    private static func partitions(_ found: AlterationFacts) -> [Finding] {
        var findings: [Finding] = []
        if !found.detached.isEmpty {
            findings.append(
                .not(
                    .problem, .tables, "detached partitions", some(found.detached),
                    why: "Queries don't show their rows, and the search for duplicates does not "
                        + "find them: readings that devices send again are stored a second time. "
                        + "New readings of these days wait, because the name is taken.",
                    fix: "SELECT sluice.attach_day_table('gps', '2026-02-10');   -- its table and "
                        + "first day",
                    "ALTER TABLE … DETACH PARTITION … FINALIZE;   -- before that, if it was "
                        + "interrupted",
                    "or ALTER TABLE … RENAME and SET SCHEMA, if its rows are to stay out"))
        }
        if !found.oddPartitions.isEmpty {
            findings.append(
                .not(
                    .problem, .tables, "odd partitions", some(found.oddPartitions),
                    why: "Sluice did not make them, and can't make the partitions of days that "
                        + "they cover: readings of these days wait, or fill the table unnoticed. "
                        + "Retention and the archive don't know them.",
                    fix: "ALTER TABLE sluice.… DETACH PARTITION …;   -- then:",
                    "SELECT sluice.ensure_days(first day, last day); INSERT INTO sluice.… SELECT "
                        + "* FROM the detached table;"))
        }
        if !found.notDurable.isEmpty {
            findings.append(
                .not(
                    .problem, .tables, "durability", some(found.notDurable),
                    why: "After a crash PostgreSQL empties an unlogged table, and rows on another "
                        + "server are not committed together with ours: acknowledged readings "
                        + "get lost.",
                    fix: "ALTER TABLE … SET LOGGED;   -- a foreign table: detach it"))
        }
        return findings
    }

    private static func writes(_ found: AlterationFacts) -> [Finding] {
        var findings: [Finding] = []
        if !found.rowTriggers.isEmpty {
            findings.append(
                .not(
                    .problem, .tables, "triggers", some(found.rowTriggers),
                    why: "They can change or drop rows that are being stored. Then exactly-once "
                        + "breaks without an error: a changed reading is stored again whenever a "
                        + "device repeats it, a dropped one is acknowledged and lost.",
                    fix: "DROP TRIGGER … ON …;   -- or ALTER TABLE … DISABLE TRIGGER …;",
                    "derive values in a view, or in a table of your own that a job fills"))
        }
        if !found.otherTriggers.isEmpty {
            findings.append(
                .not(
                    .warning, .tables, "other triggers", some(found.otherTriggers),
                    why: "They run inside the transactions that store readings: what they take "
                        + "delays devices, and if they fail nothing is stored.",
                    fix: "DROP TRIGGER … ON …;   -- or DROP RULE … ON …;"))
        }
        if !found.rowSecurity.isEmpty {
            findings.append(
                .not(
                    .problem, .tables, "row security", some(found.rowSecurity),
                    why: "It applies to this role: COPY is refused, and the search for duplicates "
                        + "sees only the rows that a policy shows.",
                    fix: "ALTER TABLE … NO FORCE ROW LEVEL SECURITY;   -- or DISABLE"))
        }
        if !found.unfilledColumns.isEmpty {
            findings.append(
                .not(
                    .problem, .tables, "columns", some(found.unfilledColumns),
                    why: "They must not be null, and no reading can fill them, so no reading is "
                        + "stored in these tables.",
                    fix: "ALTER TABLE … ALTER … DROP NOT NULL;   -- or SET DEFAULT …, if the "
                        + "column is yours"))
        }
        if !found.constraints.isEmpty {
            findings.append(
                .not(
                    .warning, .tables, "constraints", some(found.constraints),
                    why: "Valid readings that they refuse are not stored. Two equal times of a "
                        + "device are valid, too.",
                    fix: "ALTER TABLE … DROP CONSTRAINT …;   -- or DROP INDEX …;"))
        }
        return findings
    }

    private static func watermarks(_ found: AlterationFacts) -> Finding? {
        guard found.staleDevices > 0 else { return nil }
        let devices = found.staleDevices == 1 ? "1 device" : "\(found.staleDevices) devices"
        return .not(
            .problem, .tables, "watermarks",
            "\(devices) of a sample have newer rows than sluice.device_state says",
            why: "device_state is older than the rows, as after restoring one table: readings that "
                + "these devices send again are stored a second time.",
            fix: "SELECT sluice.raise_watermarks();   -- reads all rows, may run beside the server")
    }
}
