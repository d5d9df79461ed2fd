import ArgumentParser
import Load
import Oracle

/// Queries over a year.
extension SealedGoals {
    func queryRows(_ bench: ServedGoals) throws -> [GoalOutcome] {
        try makeYear(bench)
        let (from, to) = (Self.date(daysAgo: 30), Self.date(daysAgo: 29))
        let month = Self.date(daysAgo: 32)
        let device = "device_id = 'sealed-17'"
        let queries: [(name: String, goal: Double, rows: Int, sql: String)] = [
            (
                "a device's day", 50, 1440,
                "select * from analytics.vital where \(device) and time >= \(from) and time < \(to)"
            ),
            (
                "a device's month", 300, 43_200,
                """
                select * from analytics.vital
                where \(device) and time >= \(month) and time < \(Self.date(daysAgo: 2))
                """
            ),
            (
                "a year of sums by hour", 100, yearDays * 24,
                "select * from analytics.vital_hour where \(device)"
            ),
            (
                "the last day, to now", 5, 60,
                "select * from analytics.vital where \(device) and time >= now() - interval '1 day'"
            ),
            (
                "the newest ten", 5, 10,
                // As sql/README.md says: without the newest time all of its days are read.
                """
                select v.* from analytics.newest n
                cross join lateral (
                    select * from analytics.vital v
                    where v.device_id = n.device_id and v.user_id = n.user_id
                        and v.time > n.time - interval '1 day'
                    order by v.time desc limit 10) v
                where n.kind = 'vital' and n.\(device)
                """
            ),
            ("the last value", 5, 1, "select * from analytics.latest_vital where \(device)"),
        ]
        var outcomes: [GoalOutcome] = []
        var planning: [String] = []
        var slowest = 0.0
        for query in queries {
            let session = try Session(url: bench.server.database)
            let lines = try session.rows("explain (summary) \(query.sql)").map { $0[0] }
            let text = lines.last { $0.hasPrefix("Planning Time: ") }
            guard let first = text.flatMap({ Double($0.split(separator: " ")[2]) }) else {
                throw ValidationError("No planning time in \(lines.last ?? "an empty plan").")
            }
            slowest = max(slowest, first)
            var times: [Double] = []
            var void: String?
            for _ in 0..<(2 * plan.pairs + 1) {
                let start = monotonicNanoseconds()
                let rows = try session.rows(query.sql).count
                times.append(Double(monotonicNanoseconds() - start) * 1e-6)
                if rows != query.rows { void = "\(rows) rows, not \(query.rows)" }
            }
            planning.append("\(query.name) \(Figures.milliseconds(first))")
            outcomes.append(
                GoalOutcome(
                    name: "\(query.name), \(yearDays) sealed days", unit: "ms", direction: .atMost,
                    goal: query.goal, values: times, remark: "\(query.rows) rows", void: void))
        }
        outcomes.append(
            GoalOutcome(
                name: "planning, a session's first, slowest of these", unit: "ms",
                direction: .atMost, goal: 50, values: [slowest],
                remark: planning.joined(separator: ", ")))
        return outcomes
    }

    /// A year of sealed days and an hour of today, with a reading a minute of each device.
    private func makeYear(_ bench: ServedGoals) throws {
        let session = bench.session
        try registerSealed(bench)
        try fillDays(bench, 2..<3)
        try bench.server.command(["days", "seal", Self.text(daysAgo: 2), "--kind", "vital"])
        try session.execute(
            "select sluice.ensure_days(\(Self.date(daysAgo: yearDays + 1)), \(Self.date(daysAgo: 3)))"
        )
        let source = "sluice.sealed_name('packed', 'vital', \(Self.date(daysAgo: 2)))"
        try session.execute(
            """
            do $$
            declare
                columns constant text := sluice.packed_list('vital');
                day date;
            begin
                for shift in 1..\(yearDays - 1) loop
                    day := \(Self.date(daysAgo: 2)) - shift;
                    perform sluice.begin_sealing('vital', day);
                    execute format('insert into %s (%s) select %s from %s',
                        sluice.sealed_name('packed', 'vital', day), columns,
                        replace(columns, ', t0, t1,', format(
                            ', t0 - interval ''%1$s days'', t1 - interval ''%1$s days'',', shift)),
                        \(source));
                    perform sluice.end_sealing('vital', day);
                    commit;
                end loop;
            end $$
            """)
        try session.execute(
            """
            insert into sluice.vital_rollup
                (device_key, hour, readings, code, first_minute, last_minute, low, high, total, last_val)
            select r.device_key, r.hour - s * interval '1 day', r.readings, r.code, r.first_minute,
                r.last_minute, r.low, r.high, r.total, r.last_val
            from sluice.vital_rollup r, generate_series(1, \(yearDays - 1)) s
            """)
        for ago in [1, 0] { try makeDay(bench, ago) }
        try session.execute(
            """
            insert into sluice.vital select d, date_trunc('hour', now() - interval '2 hours')
                + i * interval '1 minute', 1, 60 + i % 50
            from generate_series(1, \(Self.devices)) d, generate_series(0, 59) i
            """)
        try session.execute(
            "update sluice.device_state set vital_until = (select max(t) from sluice.vital "
                + "where t > now() - interval '1 day')")
        try session.execute("vacuum analyze sluice.vital_rollup")
        try session.execute("vacuum analyze sluice.device")
        try session.execute("vacuum analyze sluice.sealed_day")
        try session.execute("vacuum analyze pg_catalog.pg_class")
        try session.execute("checkpoint")
    }
}
