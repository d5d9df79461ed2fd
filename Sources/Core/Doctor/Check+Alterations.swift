import Postgres

extension Check {
    /// What others than Sluice have made of its tables. Its questions share a time limit.
    static let alterations = Check(
        .tables, "alterations", needsTables: true,
        asks: { (facts, interview) throws(PostgresError) in
            try facts.askAlterations(interview.connection)
        },
        finds: { database, _ in database.alterations.map(verdicts) ?? [] })

    private static func verdicts(_ found: AlterationFacts) -> [Verdict] {
        var verdicts = partitions(found) + writes(found) + [watermarks(found)].compactMap { $0 }
        if !found.unanswered.isEmpty {
            verdicts.append(
                .notice(
                    some(found.unanswered),
                    why: "The database did not answer these questions: a right is missing, a "
                        + "table is locked, or it is too busy.",
                    fix: "sluice doctor   # again, when it is less busy"
                ).named("not examined"))
        } else if verdicts.isEmpty {
            verdicts.append(.ok("none"))
        }
        return verdicts
    }

    private static func partitions(_ found: AlterationFacts) -> [Verdict] {
        var verdicts: [Verdict] = []
        if !found.detached.isEmpty {
            verdicts.append(
                .problem(
                    some(found.detached),
                    why: "Queries don't show their rows, and the search for duplicates does not "
                        + "find them: readings that devices send again are stored a second time. "
                        + "New readings of these days wait, because the name is taken.",
                    fix: "SELECT sluice.attach_day_table('gps', '2026-02-10');   -- its table and "
                        + "first day",
                    "ALTER TABLE … DETACH PARTITION … FINALIZE;   -- before that, if it was "
                        + "interrupted",
                    "or ALTER TABLE … RENAME and SET SCHEMA, if its rows are to stay out"
                ).named("detached partitions"))
        }
        if !found.oddPartitions.isEmpty {
            verdicts.append(
                .problem(
                    some(found.oddPartitions),
                    why: "Sluice did not make them, and can't make the partitions of days that "
                        + "they cover: readings of these days wait, or fill the table unnoticed. "
                        + "Retention and the archive don't know them.",
                    fix: "ALTER TABLE sluice.… DETACH PARTITION …;   -- then:",
                    "SELECT sluice.ensure_days(first day, last day); INSERT INTO sluice.… SELECT "
                        + "* FROM the detached table;"
                ).named("odd partitions"))
        }
        if !found.notDurable.isEmpty {
            verdicts.append(
                .problem(
                    some(found.notDurable),
                    why: "After a crash PostgreSQL empties an unlogged table, and rows on another "
                        + "server are not committed together with ours: acknowledged readings "
                        + "get lost.",
                    fix: "ALTER TABLE … SET LOGGED;   -- a foreign table: detach it"
                ).named("durability"))
        }
        return verdicts
    }

    private static func writes(_ found: AlterationFacts) -> [Verdict] {
        var verdicts: [Verdict] = []
        if !found.rowTriggers.isEmpty {
            verdicts.append(
                .problem(
                    some(found.rowTriggers),
                    why: "They can change or drop rows that are being stored. Then exactly-once "
                        + "breaks without an error: a changed reading is stored again whenever a "
                        + "device repeats it, a dropped one is acknowledged and lost.",
                    fix: "DROP TRIGGER … ON …;   -- or ALTER TABLE … DISABLE TRIGGER …;",
                    "derive values in a view, or in a table of your own that a job fills"
                ).named("triggers"))
        }
        if !found.otherTriggers.isEmpty {
            verdicts.append(
                .warning(
                    some(found.otherTriggers),
                    why: "They run inside the transactions that store readings: what they take "
                        + "delays devices, and if they fail nothing is stored.",
                    fix: "DROP TRIGGER … ON …;   -- or DROP RULE … ON …;"
                ).named("other triggers"))
        }
        if !found.rowSecurity.isEmpty {
            verdicts.append(
                .problem(
                    some(found.rowSecurity),
                    why: "It applies to this role: COPY is refused, and the search for duplicates "
                        + "sees only the rows that a policy shows.",
                    fix: "ALTER TABLE … NO FORCE ROW LEVEL SECURITY;   -- or DISABLE"
                ).named("row security"))
        }
        if !found.unfilledColumns.isEmpty {
            verdicts.append(
                .problem(
                    some(found.unfilledColumns),
                    why: "They must not be null, and no reading can fill them, so no reading is "
                        + "stored in these tables.",
                    fix: "ALTER TABLE … ALTER … DROP NOT NULL;   -- or SET DEFAULT …, if the "
                        + "column is yours"
                ).named("columns"))
        }
        if !found.constraints.isEmpty {
            verdicts.append(
                .warning(
                    some(found.constraints),
                    why: "Valid readings that they refuse are not stored. Two equal times of a "
                        + "device are valid, too.",
                    fix: "ALTER TABLE … DROP CONSTRAINT …;   -- or DROP INDEX …;"
                ).named("constraints"))
        }
        return verdicts
    }

    private static func watermarks(_ found: AlterationFacts) -> Verdict? {
        guard found.staleDevices > 0 else { return nil }
        let devices = found.staleDevices == 1 ? "1 device" : "\(found.staleDevices) devices"
        return .problem(
            "\(devices) of a sample have newer rows than sluice.device_state says",
            why: "device_state is older than the rows, as after restoring one table: readings that "
                + "these devices send again are stored a second time.",
            fix: "SELECT sluice.raise_watermarks();   -- reads all rows, may run beside the server"
        ).named("watermarks")
    }
}
