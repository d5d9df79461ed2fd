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
    let plan: GoalPlan

    private static let batch = 100
    /// Devices of the year and of the days that are sealed beside live batches, with a reading a
    /// minute.
    static let devices = 200
    var yearDays: Int { plan.isQuick ? 40 : 365 }

    func rows() throws -> [GoalOutcome] {
        // One server each: the tables can't be emptied any more.
        try [{ try [besideRow($0)] }, sizeRows, queryRows].flatMap(onServer)
    }

    private func onServer(_ work: (ServedGoals) throws -> [GoalOutcome]) throws -> [GoalOutcome] {
        // Without rollups, as the other rows of live batches: their cost is a row of its own.
        let server = try ServerUnderTest(
            binary: plan.binary,
            settings: plan.settings + ["SLUICE_SEAL_AFTER=0d", "SLUICE_ROLLUPS=false"])
        defer { server.stop() }
        return try work(
            ServedGoals(server: server, pairs: plan.pairs, isQuick: plan.isQuick, seed: plan.seed))
    }

    // MARK: - Beside live batches

    /// p99 of live batches at half the peak while days are sealed at the server's pace ÷ without.
    private func besideRow(_ bench: ServedGoals) throws -> GoalOutcome {
        let seconds = plan.isQuick ? 4.0 : 10.0
        let daysOfPair = 5
        let rate = try bench.peak() / 2
        try bench.copy.clear()
        try registerSealed(bench)
        let first = 10
        try fillDays(bench, first..<(first + plan.pairs * daysOfPair))
        var ratios: [Double] = []
        var remarks: [String] = []
        var void: String?
        var stored = 0
        func live() throws -> Double {
            let (fleet, greeting) = try bench.nextGreeted()
            let leg = try bench.leg(fleet, batch: Self.batch, seconds: seconds) {
                $0.connections = 512
                $0.pace = .open(requestsPerSecond: rate, arrival: .poisson)
            }
            for leg in [greeting, leg] {
                void = void ?? leg.faultOfAnswers()
                stored += leg.stored
            }
            return milliseconds(leg.report.accepted, at: 99)
        }
        for pair in 0..<plan.pairs where void == nil {
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
        // The days that are sealed are older.
        let rows = try ReadingKind.allCases.reduce(0) {
            try $0
                + bench.session.number(
                    "select count(*) from sluice.\($1.name) where t >= \(Self.date(daysAgo: first - 1))"
                )
        }
        if rows != stored { void = void ?? "\(rows) rows stored, \(stored) acknowledged" }
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
            nonisolated(unsafe) let server = server
            Thread.detachNewThread { [self] in
                defer { ended.signal() }
                for command in commands where !lock.withLock({ isStopping }) {
                    do {
                        try server.command(command)
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
    }

    // MARK: - Bytes and processor time

    /// Bytes and processor time a reading, of heart rates and of positions with all fields, one a
    /// second.
    private func sizeRows(_ bench: ServedGoals) throws -> [GoalOutcome] {
        let day = 5
        let seconds = plan.isQuick ? 7_200 : 43_200
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

    // MARK: -

    func registerSealed(_ bench: ServedGoals) throws {
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

    func makeDay(_ bench: ServedGoals, _ daysAgo: Int) throws {
        let day = Self.date(daysAgo: daysAgo)
        try bench.session.execute("select sluice.ensure_days(\(day), \(day))")
    }

    /// Fills whole days with measurements, a minute apart.
    func fillDays(_ bench: ServedGoals, _ daysAgo: Range<Int>) throws {
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

    static func date(daysAgo: Int) -> String { "date '\(text(daysAgo: daysAgo))'" }

    static func text(daysAgo: Int) -> String {
        Timestamp(
            microseconds: (Int64(Timestamp.now().day) - Int64(daysAgo))
                * Timestamp.microsecondsPerDay
        ).dayText
    }
}
