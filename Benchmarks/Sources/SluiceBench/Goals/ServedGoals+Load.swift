import Fleet
import Foundation
import Load
import Oracle

extension ServedGoals {
    /// The peak rate of 100-reading requests. It is measured now unless the copy row has measured
    /// it.
    func peak() throws -> Double {
        if let peakRequestsPerSecond { return peakRequestsPerSecond }
        try copy.clear()
        let leg = try leg(nextFleet(), batch: 100, seconds: isQuick ? 4 : 8) {
            $0.connections = 512
        }
        peakRequestsPerSecond = leg.requestsPerSecond
        return leg.requestsPerSecond
    }

    /// p99 latency of the acknowledgement at half the peak, from the intended start. The server
    /// knows the devices: a fleet is registered once, and otherwise the registration would be the
    /// slowest hundredth of the run.
    func latencyRow() throws -> GoalOutcome {
        let half = try peak() / 2
        let seconds = isQuick ? 4.0 : 10.0
        var latencies: [Double] = []
        var commits: [Double] = []
        var slowCommits: [Double] = []
        var void: String?
        var details: [String] = []
        for _ in 0..<pairs where void == nil {
            try copy.clear()
            let fleet = nextFleet()
            try makeDays(for: fleet, readings: 1_000_000, batch: 100)
            let rows = RawRows(fleet: fleet, batch: 100, readings: isQuick ? 200_000 : 500_000)
            let times = try copy.commits(rows, times: isQuick ? 50 : 200).sorted()
            commits.append(Figures.median(times))
            slowCommits.append(times[times.count * 99 / 100])
            let leg = try leg(nextKnownFleet(), batch: 100, seconds: seconds) {
                $0.connections = 512
                $0.pace = .open(requestsPerSecond: half, arrival: .poisson)
            }
            void = try fault(of: leg)
            latencies.append(milliseconds(leg.report.accepted, at: 99))
            details.append(
                "\(Figures.milliseconds(milliseconds(leg.report.accepted, at: 50)))/"
                    + "\(Figures.milliseconds(milliseconds(leg.report.accepted, at: 99.9)))")
        }
        let commit = commits.isEmpty ? 0 : Figures.median(commits)
        let slowCommit = slowCommits.isEmpty ? 0 : Figures.median(slowCommits)
        return GoalOutcome(
            name: "p99 acknowledgement at half peak, open loop", unit: "ms", direction: .atMost,
            goal: max(20, 2 * slowCommit), values: latencies,
            remark: "\(Figures.short(half)) requests/s of 100 readings; COPY+COMMIT of 1000 rows "
                + "p50 \(Figures.milliseconds(commit)), p99 \(Figures.milliseconds(slowCommit)); "
                + "p50/p99.9 \(details.joined(separator: ", "))",
            void: void)
    }

    /// p99 latency of live batches while the spool is replayed, beside the same load without a
    /// replay, at a quarter of the peak.
    ///
    /// The spool is filled while the tables are locked. A run counts only if the spool still had
    /// batches at its end and everything is stored once in the end.
    func replayRow() throws -> GoalOutcome {
        let rate = try peak() / 4
        let seconds = isQuick ? 4.0 : 8.0
        let spooled = isQuick ? 1_000_000 : 2_000_000
        var ratios: [Double] = []
        var remarks: [String] = []
        var void: String?
        func live(_ fleet: FleetModel) throws -> Leg {
            try leg(fleet, batch: 100, seconds: seconds) {
                $0.connections = 512
                $0.pace = .open(requestsPerSecond: rate, arrival: .poisson)
            }
        }
        for _ in 0..<pairs where void == nil {
            let calm = try live(nextKnownFleet())
            void = try fault(of: calm)
            let fleet = try nextKnownFleet()
            let locks = try Session(url: server.database)
            try locks.execute(
                "begin; lock table sluice.gps, sluice.vital, sluice.event in access exclusive mode")
            let filling = try leg(nextFleet(), batch: 100, readings: spooled) {
                $0.connections = 64
            }
            try locks.execute("rollback")
            let busy = try live(fleet)
            let sent = filling.workload.acknowledgedReadings + busy.workload.acknowledgedReadings
            if try storedRows().reduce(0, +) >= sent { void = "the replay ended too early" }
            let end = Date(timeIntervalSinceNow: 120)
            while try storedRows().reduce(0, +) < sent, Date() < end { usleep(200_000) }
            let stored = try storedRows().reduce(0, +)
            if stored != sent { void = "\(stored) rows stored, \(sent) acknowledged" }
            let p99 = (
                milliseconds(calm.report.accepted, at: 99),
                milliseconds(busy.report.accepted, at: 99)
            )
            ratios.append(p99.1 / p99.0)
            remarks.append(
                "\(Figures.milliseconds(p99.0)) → \(Figures.milliseconds(p99.1))")
        }
        return GoalOutcome(
            name: "live p99 during a replay ÷ without", unit: "×", direction: .atMost, goal: 1.3,
            values: ratios,
            remark: "\(Figures.short(rate)) requests/s of 100 readings, "
                + "\(Figures.short(Double(spooled))) readings in the spool; "
                + remarks.joined(separator: ", "),
            void: void)
    }
}
