import Postgres

/// Jobs, quarantine and rejected units.
extension Check {
    static let work = [
        deadJobs, waitingJobs, failingItems, quarantine, rejectedUnits, hourlySums,
    ]

    private static let deadJobs = Check(
        .work, "dead jobs", needsTables: true,
        asks: { (facts, interview) throws(PostgresError) in
            let jobs = """
                select count(*) filter (where dead_at is not null),
                    count(*) filter (where due_at <= now() and dead_at is null and lease is null),
                    coalesce(extract(epoch from now() - min(due_at)
                        filter (where due_at <= now() and dead_at is null)), 0)::bigint
                from sluice.job
                """
            if let rows = try interview.ask(jobs) {
                facts.work.jobsDead = Int(rows.int64(0, 0))
                facts.work.jobsDue = Int(rows.int64(0, 1))
                facts.work.jobsDueSeconds = Int(rows.int64(0, 2))
            }
            let dead = """
                select kind || ': ' || left(coalesce(last_error, 'no error'), 80) from sluice.job
                where dead_at is not null group by 1 order by count(*) desc limit 1
                """
            if let rows = try interview.ask(dead) { facts.work.jobsDeadMostly = rows.string(0, 0) }
        },
        judges: { database, _ in
            let work = database.work
            guard work.jobsDead > 0 else { return .ok("none") }
            let mostly = work.jobsDeadMostly.map { ", most: \($0)" } ?? ""
            return .warning(
                "\(work.jobsDead)\(mostly)",
                why: "Their results are missing, and they are not retried.",
                fix: "sluice jobs list --state dead", "sluice jobs retry --dead")
        })

    /// ``deadJobs`` has asked.
    private static let waitingJobs = Check(
        .work, "waiting jobs", needsTables: true,
        judges: { database, _ in
            let work = database.work
            guard work.jobsDueSeconds > 600 else { return .ok(Figures.count(work.jobsDue)) }
            return .warning(
                "\(Figures.count(work.jobsDue)), the oldest due for "
                    + Figures.seconds(Double(work.jobsDueSeconds)),
                why: "No server runs them, or too few run at once, so results are late.",
                fix: "start a server, or raise SLUICE_JOBS_CONCURRENCY")
        })

    /// A first failure may be a lock or a deadlock; the next attempt follows within minutes.
    private static let failingItems = Check(
        .work, "failing items", needsTables: true,
        asks: { (facts, interview) throws(PostgresError) in
            let failing = """
                select distinct on (pass) pass, count(*) over (partition by pass), item, attempts,
                    left(last_error, 120)
                from sluice.failing_now order by pass, attempts desc, item
                """
            guard let rows = try interview.ask(failing) else { return }
            facts.work.failing = (0..<rows.count).map { row in
                WorkFacts.FailingPass(
                    pass: rows.string(row, 0), count: Int(rows.int64(row, 1)),
                    item: rows.string(row, 2), attempts: Int(rows.int32(row, 3)),
                    error: rows.string(row, 4))
            }
        },
        finds: { database, _ in
            guard !database.work.failing.isEmpty else { return [.ok("none")] }
            return database.work.failing.map { failing in
                let others = failing.count > 1 ? " and \(failing.count - 1) more" : ""
                return .fault(
                    failing.attempts > 1 ? .warning : .notice,
                    "\(failing.item)\(others), \(failing.attempts) times: \(failing.error)",
                    why: "The other items are processed, and these are tried again, at the latest "
                        + "six hours after the last time.",
                    fix: "sluice psql -c \"select * from sluice.failing_now where pass = "
                        + "'\(failing.pass)'\""
                ).named("failing, \(failing.pass)")
            }
        })

    private static let quarantine = Check(
        .work, "quarantine", needsTables: true,
        asks: { (facts, interview) throws(PostgresError) in
            let quarantine = """
                select count(*), count(*) filter (where received_at > now() - interval '1 day'),
                    mode() within group (order by reason)
                        filter (where received_at > now() - interval '1 day')
                from sluice.quarantine
                """
            if let rows = try interview.ask(quarantine) {
                facts.work.quarantined = Int(rows.int64(0, 0))
                facts.work.quarantinedLastDay = Int(rows.int64(0, 1))
                facts.work.quarantinedMostly = rows.isNull(0, 2) ? nil : rows.string(0, 2)
            }
            let readings = "select coalesce(sum(readings), 0)::bigint from sluice.device_state"
            if let rows = try interview.ask(readings) {
                facts.work.readings = Int(rows.int64(0, 0))
            }
        },
        judges: { database, _ in
            let work = database.work
            let text =
                "\(Figures.count(work.quarantined)) readings, "
                + "\(Figures.count(work.quarantinedLastDay)) in the last day"
            guard work.quarantinedLastDay > 100 else { return .ok(text) }
            let isMuch = work.readings > 0 && work.quarantinedLastDay > work.readings / 1000
            return .fault(
                isMuch ? .warning : .notice,
                text + (work.quarantinedMostly.map { ", most: \($0)" } ?? ""),
                why: "A device keeps sending readings that can't be stored.",
                fix: "sluice quarantine list", "sluice quarantine requeue --reason … --set …")
        })

    private static let rejectedUnits = Check(
        .work, "set aside", needsTables: true,
        asks: { (facts, interview) throws(PostgresError) in
            if let rows = try interview.ask("select count(*) from sluice.unit_set_aside") {
                facts.work.unitsSetAside = Int(rows.int64(0, 0))
            }
        },
        judges: { database, _ in
            guard database.work.unitsSetAside > 0 else { return nil }
            return .warning(
                "\(database.work.unitsSetAside) captures or meals",
                why: "They were acknowledged when spooled, and the database rejected them later.",
                fix: "sluice units list", "sluice units requeue --all")
        })

    private static let hourlySums = Check(
        .work, "hourly sums", needsTables: true,
        asks: { (facts, interview) throws(PostgresError) in
            let unsummed = """
                select count(distinct device_key), min(hour at time zone 'UTC')::date::text,
                    max(hour at time zone 'UTC')::date::text
                from sluice.rollup_due where failures > 0
                """
            if let rows = try interview.ask(unsummed), rows.int64(0, 0) > 0 {
                facts.work.devicesUnsummed = Int(rows.int64(0, 0))
                facts.work.daysUnsummed = (rows.string(0, 1), rows.string(0, 2))
            }
            let mostly = """
                select format('%s (hours: %s, SQLSTATE %s)', d.device_id, count(*), max(r.failure))
                from sluice.rollup_due r join sluice.device d using (device_key)
                where r.failures > 0 group by d.device_id order by count(*) desc, 1 limit 3
                """
            if let rows = try interview.ask(mostly) {
                facts.work.devicesUnsummedMostly = (0..<rows.count).map { rows.string($0, 0) }
            }
        },
        judges: { database, _ in
            let work = database.work
            guard work.devicesUnsummed > 0, let days = work.daysUnsummed else {
                return .ok("no hour fails")
            }
            let more = work.devicesUnsummed - work.devicesUnsummedMostly.count
            return .warning(
                "hours of \(work.devicesUnsummed) devices fail: "
                    + work.devicesUnsummedMostly.joined(separator: ", ")
                    + (more > 0 ? " and \(more) more" : ""),
                why: "Views read these hours' readings instead, more slowly, and their days can't "
                    + "leave the tables. They are retried after growing pauses.",
                fix: "sluice rollups rebuild --from \(days.first) --to \(days.last)   "
                    + "# when the cause, which PostgreSQL's log names, is gone")
        })
}
