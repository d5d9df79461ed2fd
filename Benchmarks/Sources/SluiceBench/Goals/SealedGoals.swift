import ArgumentParser
import Fleet
import Foundation
import Load
import Oracle
import Readings

/// Sealed days: their bytes, what sealing costs, live batches beside it, and queries over a year.
///
/// Days are sealed with `sluice days seal`. The year is one sealed day, of which the packed rows are
/// copied to the days before it: a year of rows would take hours to make.
struct SealedGoals {
    let binary: String
    let settings: [String]
    let pairs: Int
    let isQuick: Bool
    let seed: UInt64

    private static let batch = 100
    /// Devices of the year and of the days that are sealed beside live batches, with a reading a
    /// minute.
    private static let devices = 200
    private var yearDays: Int { isQuick ? 40 : 365 }

    func rows() throws -> [GoalOutcome] {
        // One server each: the tables can't be emptied any more.
        try [{ try [besideRow($0)] }, sizeRows, queryRows].flatMap(onServer)
    }

    private func onServer(_ work: (ServedGoals) throws -> [GoalOutcome]) throws -> [GoalOutcome] {
        // Without rollups, as the other rows of live batches: their cost is a row of its own.
        let server = try ServerUnderTest(
            binary: binary,
            settings: settings + ["SLUICE_SEAL_AFTER=0d", "SLUICE_ROLLUPS=false"])
        defer { server.stop() }
        return try work(
            ServedGoals(server: server, pairs: pairs, isQuick: isQuick, seed: seed))
    }

    // MARK: - Beside live batches

    /// p99 of live batches at half the peak while days are sealed at the server's pace ÷ without.
    private func besideRow(_ bench: ServedGoals) throws -> GoalOutcome {
        let seconds = isQuick ? 4.0 : 10.0
        let daysOfPair = 5
        let rate = try bench.peak() / 2
        try bench.copy.clear()
        try registerSealed(bench)
        let first = 10
        try fillDays(bench, first..<(first + pairs * daysOfPair))
        var ratios: [Double] = []
        var remarks: [String] = []
        var void: String?
        func live() throws -> Double {
            let (fleet, greeting) = try bench.nextGreeted()
            let leg = try bench.leg(fleet, batch: Self.batch, seconds: seconds) {
                $0.connections = 512
                $0.pace = .open(requestsPerSecond: rate, arrival: .poisson)
            }
            for leg in [greeting, leg] {
                let others = leg.report.statuses.filter { $0.key != 200 }
                guard others.isEmpty, leg.report.lost == 0, leg.report.broken == 0,
                    leg.workload.totals.duplicates == 0
                else {
                    void = "unexpected answers: \(others), lost \(leg.report.lost)"
                    return .nan
                }
            }
            return milliseconds(leg.report.accepted, at: 99)
        }
        for pair in 0..<pairs where void == nil {
            var calm = 0.0
            var busy = 0.0
            var sealed = 0
            for side in pair % 2 == 0 ? [0, 1] : [1, 0] where void == nil {
                if side == 0 {
                    calm = try live()
                    continue
                }
                let days = (0..<daysOfPair).map { first + pair * daysOfPair + $0 }
                let sealing = Sealer(bench.server, days)
                busy = try live()
                sealed = try sealing.stop()
                if sealed == days.count { void = "all days were sealed before the end" }
                if sealed == 0 { void = "no day was sealed" }
            }
            ratios.append(busy / calm)
            remarks.append(
                "\(Figures.milliseconds(calm)) → \(Figures.milliseconds(busy)), \(sealed) days")
        }
        return GoalOutcome(
            name: "live p99 beside sealing ÷ without", unit: "×", direction: .atMost, goal: 1.2,
            values: ratios,
            remark: "\(Figures.short(rate)) requests/s of 100 readings; "
                + "days of \(Self.devices * 1440) measurements; " + remarks.joined(separator: ", "),
            void: void)
    }

    /// Seals one day after the other on a thread of its own, until it is stopped.
    private final class Sealer: @unchecked Sendable {
        private let lock = NSLock()
        private var isStopping = false
        private var sealed = 0
        private var failure: (any Error)?
        private let ended = DispatchSemaphore(value: 0)

        init(_ server: ServerUnderTest, _ daysAgo: [Int]) {
            let commands = daysAgo.map {
                ["days", "seal", SealedGoals.text(daysAgo: $0), "--kind", "vital", "--gently"]
            }
            let server = UncheckedBox(server)
            Thread.detachNewThread { [self] in
                defer { ended.signal() }
                for command in commands where !lock.withLock({ isStopping }) {
                    do {
                        try server.value.command(command)
                        lock.withLock { sealed += 1 }
                    } catch {
                        return lock.withLock { failure = error }
                    }
                }
            }
        }

        /// - Returns: how many days were sealed; the last one perhaps after the call.
        func stop() throws -> Int {
            lock.withLock { isStopping = true }
            ended.wait()
            if let failure { throw failure }
            return sealed
        }

        private struct UncheckedBox: @unchecked Sendable {
            let value: ServerUnderTest
            init(_ value: ServerUnderTest) { self.value = value }
        }
    }

    // MARK: - Bytes and processor time

    /// Bytes and processor time a reading, of heart rates and of positions with all fields, one a
    /// second.
    private func sizeRows(_ bench: ServedGoals) throws -> [GoalOutcome] {
        let day = 5
        let seconds = isQuick ? 7_200 : 43_200
        let start = "\(Self.date(daysAgo: day))::timestamp at time zone 'UTC'"
        try registerSealed(bench)
        try makeDay(bench, day)
        try bench.session.execute("select setseed(0.5)")
        let numbers = "generate_series(1, 5) d, generate_series(0, \(seconds - 1)) i"
        let fillings = [
            (
                "vital", 10.0,
                """
                insert into sluice.vital select d, \(start) + i * interval '1 second', 1,
                    greatest(40, least(180, round(70 + 20 * sin(i / 5000.0) + random() * 8 - 4)))
                from \(numbers)
                """
            ),
            // Six decimals, as phones send them; metres and degrees of course with one.
            (
                "gps", 14.0,
                """
                insert into sluice.gps (device_key, t, lat, lon, acc, alt, vacc, motion)
                select d, \(start) + i * interval '1 second'
                        + (random() * 999)::integer * interval '1 ms',
                    round((48 + sum(x) over w)::numeric, 6), round((11 + sum(y) over w)::numeric, 6),
                    round((3 + random() * 9)::numeric, 1), round((500 + sum(z) over w)::numeric, 1),
                    round((2 + random() * 4)::numeric, 1),
                    (round((1 + random() * 2)::numeric, 2) * 1000000)::bigint << 30
                        | (round((random() * 359)::numeric, 1) * 1000000)::bigint
                from (
                    select d, i, (random() - 0.5) * 0.00004 as x, (random() - 0.5) * 0.00006 as y,
                        (random() - 0.5) * 0.4 as z
                    from \(numbers)
                ) s
                window w as (partition by d order by i)
                """
            ),
        ]
        var outcomes: [GoalOutcome] = []
        for (kind, bytesMax, filling) in fillings {
            try bench.session.execute(filling)
            try bench.session.execute("checkpoint")
            let before = try bench.server.databaseSeconds()
            try bench.server.command(
                ["days", "seal", Self.text(daysAgo: day), "--kind", kind])
            let spent = try bench.server.databaseSeconds() - before
            let figures =
                try bench.session.rows(
                    """
                    select readings, bytes, live_bytes from sluice.sealed_day
                    where kind = '\(kind)' and day = \(Self.date(daysAgo: day))
                    """
                ).first?.compactMap(Double.init) ?? []
            guard figures.count == 3, figures[0] == Double(5 * seconds) else {
                throw ValidationError("The sealed day has \(figures), not \(5 * seconds) readings.")
            }
            outcomes.append(
                GoalOutcome(
                    name: "bytes a reading, \(kind) sealed, one a second", unit: "bytes",
                    direction: .atMost, goal: bytesMax, values: [figures[1] / figures[0]],
                    remark: String(format: "live %.1f with the index", figures[2] / figures[0])))
            outcomes.append(
                GoalOutcome(
                    name: "processor time of sealing a reading, \(kind)", unit: "µs",
                    direction: .atMost, goal: 1, values: [spent / figures[0] * 1e6],
                    remark: "\(Int(figures[0])) readings, all of PostgreSQL's processes"))
        }
        return outcomes
    }

    // MARK: - Queries

    private func queryRows(_ bench: ServedGoals) throws -> [GoalOutcome] {
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
            let plan = try session.rows("explain (summary) \(query.sql)").map { $0[0] }
            let text = plan.last { $0.hasPrefix("Planning Time: ") }
            guard let first = text.flatMap({ Double($0.split(separator: " ")[2]) }) else {
                throw ValidationError("No planning time in \(plan.last ?? "an empty plan").")
            }
            slowest = max(slowest, first)
            var times: [Double] = []
            var void: String?
            for _ in 0..<(2 * pairs + 1) {
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

    // MARK: -

    private func registerSealed(_ bench: ServedGoals) throws {
        try bench.session.execute(
            """
            insert into sluice.device (device_key, device_id, user_id, first_seen)
            select d, 'sealed-' || d, 'user-' || d, now() from generate_series(1, \(Self.devices)) d
            on conflict do nothing
            """)
        try bench.session.execute(
            """
            insert into sluice.device_state (device_key, key_check)
            select d, 0 from generate_series(1, \(Self.devices)) d on conflict do nothing
            """)
    }

    private func makeDay(_ bench: ServedGoals, _ daysAgo: Int) throws {
        let day = Self.date(daysAgo: daysAgo)
        try bench.session.execute("select sluice.ensure_days(\(day), \(day))")
    }

    /// Fills whole days with measurements, a minute apart.
    private func fillDays(_ bench: ServedGoals, _ daysAgo: Range<Int>) throws {
        for ago in daysAgo {
            try makeDay(bench, ago)
            let start = "\(Self.date(daysAgo: ago))::timestamp at time zone 'UTC'"
            try bench.session.execute(
                """
                insert into sluice.vital select d, \(start) + i * interval '1 minute'
                    + d * interval '137 ms', 1, round(70 + 20 * sin(i / 250.0) + (i * d * 37) % 9)
                from generate_series(1, \(Self.devices)) d, generate_series(0, 1439) i
                """)
            try bench.session.execute(
                """
                insert into sluice.vital_rollup (device_key, hour, readings, code, first_minute,
                    last_minute, low, high, total, last_val)
                select device_key, sluice.hour_of(t), count(*), code, 0, 59, min(val), max(val),
                    sum(val), max(val)
                from sluice.vital where t >= \(start) and t < \(start) + interval '1 day'
                group by 1, 2, 4
                """)
        }
    }

    private static func date(daysAgo: Int) -> String { "date '\(text(daysAgo: daysAgo))'" }

    private static func text(daysAgo: Int) -> String {
        Timestamp(
            microseconds: (Int64(Timestamp.now().day) - Int64(daysAgo))
                * Timestamp.microsecondsPerDay
        ).dayText
    }
}
