import Fleet
import Load
import Oracle

extension ServedGoals {
    /// The peak rate of 100-reading requests. It is measured now unless the copy row has measured
    /// it.
    private func peak() throws -> Double {
        if let peakRequestsPerSecond { return peakRequestsPerSecond }
        try copy.clear()
        let leg = try leg(nextFleet(), batch: 100, seconds: isQuick ? 4 : 8) {
            $0.connections = 512
        }
        peakRequestsPerSecond = leg.requestsPerSecond
        return leg.requestsPerSecond
    }

    /// p99 latency of the acknowledgement at half the peak, from the intended start.
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
            try copy.clear()
            let leg = try leg(nextFleet(), batch: 100, seconds: seconds) {
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
            goal: max(10, 2 * slowCommit), values: latencies,
            remark: "\(Figures.short(half)) requests/s of 100 readings; COPY+COMMIT of 1000 rows "
                + "p50 \(Figures.milliseconds(commit)), p99 \(Figures.milliseconds(slowCommit)); "
                + "p50/p99.9 \(details.joined(separator: ", "))",
            void: void)
    }
}
