extension Examination {
    /// From when on the age of rows is a matter of hours: PostgreSQL itself warns at 40 million
    /// transactions before the end, which is at two thousand million.
    private static let frozenAgeProblem = 1_000_000_000

    /// Partitions, and whether vacuum keeps up.
    static func tables(_ database: DatabaseFacts) -> [Finding] {
        guard database.schemaVersion != nil else { return [] }
        let tables = database.tables
        var findings: [Finding] = []
        if let missing = tables.missing {
            findings.append(
                missing == 0
                    ? .ok(.tables, "days ahead", "all made")
                    : .not(
                        .warning, .tables, "days ahead",
                        "\(missing) partitions are missing, from \(tables.firstMissingDay ?? "?") on",
                        why: "The first batch of such a day waits until they are made; a running "
                            + "server makes them every hour, so none runs, or it may not.",
                        fix: "SELECT sluice.ensure_days(current_date, current_date + 7);"))
        }
        if database.settings["autovacuum"]?.value == "off" {
            findings.append(
                .not(
                    .problem, .tables, "autovacuum", "off",
                    why: "Rows that were updated are never cleaned away, and in the end PostgreSQL "
                        + "stops to take writes.",
                    fix: "ALTER SYSTEM SET autovacuum = on; SELECT pg_reload_conf();"))
        } else if !tables.withoutAutovacuum.isEmpty {
            let some = tables.withoutAutovacuum.prefix(3).joined(separator: ", ")
            let more = tables.withoutAutovacuum.count - 3
            findings.append(
                .not(
                    .warning, .tables, "autovacuum",
                    "off for \(some)" + (more > 0 ? " and \(more) more" : ""),
                    why: "Days that are only inserted into need it as well, to be frozen and to be "
                        + "read by the index alone.",
                    fix: "ALTER TABLE \(tables.withoutAutovacuum[0]) RESET (autovacuum_enabled);"))
        } else {
            findings.append(.ok(.tables, "autovacuum", "on for all"))
        }
        if tables.daysUnvacuumed > 0 {
            findings.append(
                .not(
                    .notice, .tables, "vacuum",
                    "\(tables.daysUnvacuumed) days that are over were not vacuumed yet",
                    why:
                        "Vacuum is behind: these days are read more slowly and will be frozen later, "
                        + "all at once.",
                    fix: "ALTER SYSTEM SET autovacuum_vacuum_cost_limit = 2000; "
                        + "SELECT pg_reload_conf();"))
        }
        findings.append(age(database))
        if let seconds = tables.oldestTransactionSeconds, seconds > 3600 {
            findings.append(
                .not(
                    .warning, .tables, "oldest transaction",
                    "open for \(Figures.seconds(Double(seconds)))",
                    why: "Vacuum can't remove anything that it might still see: tables grow.",
                    fix: "SELECT pid, usename, state, query FROM pg_stat_activity ORDER BY "
                        + "xact_start LIMIT 3;   -- then pg_terminate_backend(pid)"))
        }
        // On Citus all nodes were asked.
        if tables.preparedForgotten > 0, database.citus == nil {
            findings.append(
                .not(
                    .warning, .tables, "prepared transactions",
                    "\(tables.preparedForgotten) older than 5 min",
                    why: "They keep their locks and hold vacuum back until somebody ends them.",
                    fix: "SELECT gid, prepared FROM pg_prepared_xacts;   -- then ROLLBACK PREPARED"
                ))
        }
        return findings
    }

    private static func age(_ database: DatabaseFacts) -> Finding {
        let age = database.tables.oldestFrozenAge
        let text = "\(Figures.count(age)) transactions"
        let most = database.settings["autovacuum_freeze_max_age"]?.number ?? 200_000_000
        if age > frozenAgeProblem {
            return .not(
                .problem, .tables, "oldest row", text,
                why: "At 2 000 000 000 PostgreSQL takes no more writes.",
                fix: "VACUUM (FREEZE, VERBOSE);   -- in this database, as its owner")
        }
        if age > most + most / 10 {
            return .not(
                .warning, .tables, "oldest row", text,
                why:
                    "Autovacuum should have frozen it at \(Figures.count(most)): something holds it "
                    + "back.",
                fix: "VACUUM (FREEZE, VERBOSE);   -- in this database, as its owner")
        }
        return .ok(.tables, "oldest row", text)
    }

    /// Jobs, quarantine, what was set aside.
    static func work(_ work: WorkFacts) -> [Finding] {
        [jobs(work), backlog(work), quarantine(work), units(work)].compactMap { $0 }
    }

    private static func jobs(_ work: WorkFacts) -> Finding {
        guard work.jobsDead > 0 else { return .ok(.work, "dead jobs", "none") }
        let mostly = work.jobsDeadMostly.map { ", most: \($0)" } ?? ""
        return .not(
            .warning, .work, "dead jobs", "\(work.jobsDead)\(mostly)",
            why: "What they were to make is missing, and nobody tries again.",
            fix: "sluice jobs list --state dead", "sluice jobs retry --dead")
    }

    private static func backlog(_ work: WorkFacts) -> Finding? {
        guard work.jobsDueSeconds > 600 else {
            return .ok(.work, "waiting jobs", Figures.count(work.jobsDue))
        }
        return .not(
            .warning, .work, "waiting jobs",
            "\(Figures.count(work.jobsDue)), the oldest for "
                + Figures.seconds(Double(work.jobsDueSeconds)),
            why: "Nobody runs them, or too few do: results come late.",
            fix: "start a server, or SLUICE_JOBS_CONCURRENCY=… higher")
    }

    private static func quarantine(_ work: WorkFacts) -> Finding {
        let text =
            "\(Figures.count(work.quarantined)) readings, "
            + "\(Figures.count(work.quarantinedLastDay)) of the last day"
        guard work.quarantinedLastDay > 100 else { return .ok(.work, "quarantine", text) }
        let isMuch = work.readings > 0 && work.quarantinedLastDay > work.readings / 1000
        return .not(
            isMuch ? .warning : .notice, .work, "quarantine",
            text + (work.quarantinedMostly.map { ", most: \($0)" } ?? ""),
            why: "Some device sends what can't be stored, again and again.",
            fix: "sluice quarantine list", "sluice quarantine requeue --reason … --set …")
    }

    private static func units(_ work: WorkFacts) -> Finding? {
        guard work.unitsSetAside > 0 else { return nil }
        return .not(
            .warning, .work, "set aside", "\(work.unitsSetAside) captures or meals",
            why: "They were acknowledged into the spool and then refused by the database.",
            fix: "sluice units list", "sluice units requeue --all")
    }
}
