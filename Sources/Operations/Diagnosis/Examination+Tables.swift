extension Examination {
    /// From this age of the oldest row on, freezing is urgent. PostgreSQL itself warns only 40
    /// million transactions before the limit, which is at about two thousand million.
    private static let frozenAgeProblem = 1_000_000_000

    /// Partitions, and whether vacuum keeps up.
    static func tables(_ database: DatabaseFacts) -> [Finding] {
        guard database.schemaVersion != nil else { return [] }
        let tables = database.tables
        var findings: [Finding] = []
        if let missing = tables.missing {
            findings.append(
                missing == 0
                    ? .ok(.tables, "days ahead", "all exist")
                    : .not(
                        .warning, .tables, "days ahead",
                        "\(missing) partitions are missing, from \(tables.firstMissingDay ?? "?") on",
                        why: "The first batch of such a day waits until they are created. A "
                            + "running server creates them every hour: none runs, or it lacks the right.",
                        fix: "SELECT sluice.ensure_days(current_date, current_date + 7);"))
        }
        if database.settings["autovacuum"]?.value == "off" {
            findings.append(
                .not(
                    .problem, .tables, "autovacuum", "off",
                    why: "Dead rows are never removed, and in the end PostgreSQL stops accepting "
                        + "writes.",
                    fix: "ALTER SYSTEM SET autovacuum = on; SELECT pg_reload_conf();"))
        } else if !tables.withoutAutovacuum.isEmpty {
            let some = tables.withoutAutovacuum.prefix(3).joined(separator: ", ")
            let more = tables.withoutAutovacuum.count - 3
            findings.append(
                .not(
                    .warning, .tables, "autovacuum",
                    "off for \(some)" + (more > 0 ? " and \(more) more" : ""),
                    why: "Insert-only days need it too, for freezing and for index-only "
                        + "scans.",
                    fix: "ALTER TABLE \(tables.withoutAutovacuum[0]) RESET (autovacuum_enabled);"))
        } else {
            findings.append(.ok(.tables, "autovacuum", "on for all tables"))
        }
        if tables.daysUnvacuumed > 0 {
            findings.append(
                .not(
                    .notice, .tables, "vacuum",
                    "\(tables.daysUnvacuumed) partitions of past days were not vacuumed yet",
                    why:
                        "Vacuum is behind. Reading these days is slower, and they will be frozen "
                        + "later, all at once.",
                    fix: "ALTER SYSTEM SET autovacuum_vacuum_cost_limit = 2000; "
                        + "SELECT pg_reload_conf();"))
        }
        findings.append(age(database))
        if let seconds = tables.oldestTransactionSeconds, seconds > 3600 {
            findings.append(
                .not(
                    .warning, .tables, "oldest transaction",
                    "open for \(Figures.seconds(Double(seconds)))",
                    why: "Vacuum can't remove rows that it might still see, so tables grow.",
                    fix: "SELECT pid, usename, state, query FROM pg_stat_activity ORDER BY "
                        + "xact_start LIMIT 3;   -- then pg_terminate_backend(pid)"))
        }
        if let holder = tables.idleHolders.first {
            let others = tables.idleHolders.count - 1
            findings.append(
                .not(
                    .warning, .tables, "forgotten locks",
                    "session \(holder.pid) of \(holder.role) has held locks on the tables for "
                        + Figures.seconds(Double(holder.idleSeconds)) + " and does nothing"
                        + (others > 0 ? ", \(others) more" : ""),
                    why:
                        "Batches of the devices whose rows it has locked wait in the spool, and all "
                        + "batches do while it has locked a table.",
                    fix: "SELECT pg_terminate_backend(\(holder.pid));"))
        }
        // On Citus, `cluster(_:_:)` reports those of all nodes.
        if tables.preparedForgotten > 0, database.citus == nil {
            findings.append(
                .not(
                    .warning, .tables, "prepared transactions",
                    "\(tables.preparedForgotten) older than 5 min",
                    why: "They keep their locks and hold back vacuum until they are ended.",
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
                why: "At about 2 000 000 000 PostgreSQL stops accepting writes.",
                fix: "VACUUM (FREEZE, VERBOSE);   -- in this database, as its owner")
        }
        if age > most + most / 10 {
            return .not(
                .warning, .tables, "oldest row", text,
                why:
                    "Autovacuum should have frozen it at \(Figures.count(most)); something holds "
                    + "it back.",
                fix: "VACUUM (FREEZE, VERBOSE);   -- in this database, as its owner")
        }
        return .ok(.tables, "oldest row", text)
    }

    /// Jobs, quarantine and rejected units.
    static func work(_ work: WorkFacts) -> [Finding] {
        [jobs(work), backlog(work)].compactMap { $0 } + failing(work)
            + [quarantine(work), units(work), sums(work)].compactMap { $0 }
    }

    /// A first failure may be a lock or a deadlock; the next attempt follows within minutes.
    private static func failing(_ work: WorkFacts) -> [Finding] {
        guard !work.failing.isEmpty else { return [.ok(.work, "failing items", "none")] }
        return work.failing.map { failing in
            let others = failing.count > 1 ? " and \(failing.count - 1) more" : ""
            return .not(
                failing.attempts > 1 ? .warning : .notice, .work, "failing, \(failing.pass)",
                "\(failing.item)\(others), \(failing.attempts) times: \(failing.error)",
                why: "The other items are processed, and these are tried again, at the latest "
                    + "six hours after the last time.",
                fix: "sluice psql -c \"select * from sluice.failing_now where pass = "
                    + "'\(failing.pass)'\"")
        }
    }

    private static func jobs(_ work: WorkFacts) -> Finding {
        guard work.jobsDead > 0 else { return .ok(.work, "dead jobs", "none") }
        let mostly = work.jobsDeadMostly.map { ", most: \($0)" } ?? ""
        return .not(
            .warning, .work, "dead jobs", "\(work.jobsDead)\(mostly)",
            why: "Their results are missing, and they are not retried.",
            fix: "sluice jobs list --state dead", "sluice jobs retry --dead")
    }

    private static func backlog(_ work: WorkFacts) -> Finding? {
        guard work.jobsDueSeconds > 600 else {
            return .ok(.work, "waiting jobs", Figures.count(work.jobsDue))
        }
        return .not(
            .warning, .work, "waiting jobs",
            "\(Figures.count(work.jobsDue)), the oldest due for "
                + Figures.seconds(Double(work.jobsDueSeconds)),
            why: "No server runs them, or too few run at once, so results are late.",
            fix: "start a server, or raise SLUICE_JOBS_CONCURRENCY")
    }

    private static func quarantine(_ work: WorkFacts) -> Finding {
        let text =
            "\(Figures.count(work.quarantined)) readings, "
            + "\(Figures.count(work.quarantinedLastDay)) in the last day"
        guard work.quarantinedLastDay > 100 else { return .ok(.work, "quarantine", text) }
        let isMuch = work.readings > 0 && work.quarantinedLastDay > work.readings / 1000
        return .not(
            isMuch ? .warning : .notice, .work, "quarantine",
            text + (work.quarantinedMostly.map { ", most: \($0)" } ?? ""),
            why: "A device keeps sending readings that can't be stored.",
            fix: "sluice quarantine list", "sluice quarantine requeue --reason … --set …")
    }

    private static func units(_ work: WorkFacts) -> Finding? {
        guard work.unitsSetAside > 0 else { return nil }
        return .not(
            .warning, .work, "set aside", "\(work.unitsSetAside) captures or meals",
            why: "They were acknowledged when spooled, and the database rejected them later.",
            fix: "sluice units list", "sluice units requeue --all")
    }

    private static func sums(_ work: WorkFacts) -> Finding {
        guard work.devicesUnsummed > 0, let days = work.daysUnsummed else {
            return .ok(.work, "hourly sums", "no hour fails")
        }
        let more = work.devicesUnsummed - work.devicesUnsummedMostly.count
        return .not(
            .warning, .work, "hourly sums",
            "hours of \(work.devicesUnsummed) devices fail: "
                + work.devicesUnsummedMostly.joined(separator: ", ")
                + (more > 0 ? " and \(more) more" : ""),
            why:
                "Views read these hours' readings instead, more slowly, and their days can't leave "
                + "the tables. They are retried after growing pauses.",
            fix: "sluice rollups rebuild --from \(days.first) --to \(days.last)   "
                + "# when the cause, which PostgreSQL's log names, is gone")
    }
}
