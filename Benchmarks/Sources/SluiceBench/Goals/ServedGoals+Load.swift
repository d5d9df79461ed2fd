import Fleet
import Load
import Oracle

extension ServedGoals {
    /// The peak of 100-reading requests, measured now unless the copy row has done it.
    private func peak() throws -> Double {
        if let peakRequestsPerSecond { return peakRequestsPerSecond }
        try copy.clear()
        let leg = try leg(nextFleet(), batch: 100, seconds: isQuick ? 4 : 8) {
            $0.connections = 512
        }
        peakRequestsPerSecond = leg.requestsPerSecond
        return leg.requestsPerSecond
    }

    /// p99 of the acknowledgement at half the peak, from the intended start.
    func latencyRow() throws -> GoalOutcome {
        let half = try peak() / 2
        let seconds = isQuick ? 4.0 : 10.0
        var latencies: [Double] = []
        var commits: [Double] = []
        var void: String?
        var details: [String] = []
        for _ in 0..<pairs where void == nil {
            try copy.clear()
            let fleet = nextFleet()
            try makeDays(for: fleet, readings: 1_000_000, batch: 100)
            let rows = RawRows(fleet: fleet, batch: 100, readings: isQuick ? 200_000 : 500_000)
            commits.append(Figures.median(try copy.commits(rows, times: isQuick ? 50 : 200)))
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
        return GoalOutcome(
            name: "p99 acknowledgement at half peak, open loop", unit: "ms", direction: .atMost,
            goal: max(10, 3 * commit), values: latencies,
            remark: "\(Figures.short(half)) requests/s of 100 readings; COPY+COMMIT of 1000 rows "
                + "\(Figures.milliseconds(commit)); p50/p99.9 \(details.joined(separator: ", "))",
            void: void)
    }

    /// Ten times the peak: what is still committed, and how fast the rest is refused.
    func overloadRows() throws -> [GoalOutcome] {
        let seconds = isQuick ? 4.0 : 8.0
        var goodputs: [Double] = []
        var refusals: [Double] = []
        var void: String?
        var details: [String] = []
        for _ in 0..<pairs where void == nil {
            try copy.clear()
            let calm = try leg(nextFleet(), batch: 100, seconds: seconds) { $0.connections = 512 }
            void = try fault(of: calm)
            try copy.clear()
            let storm = try leg(nextFleet(), batch: 100, seconds: seconds, retries: false) {
                $0.connections = 1024
                $0.pace = .open(
                    requestsPerSecond: calm.requestsPerSecond * 10, arrival: .poisson)
            }
            void = try void ?? fault(of: storm, allowing: [200, 429, 503])
            if storm.workload.refusalsWithoutRetryAfter > 0 {
                void =
                    void
                    ?? "\(storm.workload.refusalsWithoutRetryAfter) refusals without Retry-After"
            }
            goodputs.append(storm.rowsPerSecond / calm.rowsPerSecond)
            refusals.append(milliseconds(storm.report.refusedFromSend, at: 99))
            details.append(describe(calm, storm))
        }
        return [
            GoalOutcome(
                name: "overload 10 ×: goodput ÷ peak", unit: "×", direction: .atLeast, goal: 0.9,
                values: goodputs, remark: details.first ?? "", void: void),
            GoalOutcome(
                name: "overload 10 ×: p99 of a refusal, from sending", unit: "ms",
                direction: .atMost, goal: 10, values: refusals, void: void),
        ]
    }

    private func describe(_ calm: Leg, _ storm: Leg) -> String {
        let refused = storm.report.statuses.filter { $0.key != 200 }.values.reduce(0, +)
        return "\(Figures.short(calm.rowsPerSecond)) rows/s calm, "
            + "\(Figures.short(Double(storm.report.answers) / storm.report.seconds)) answers/s in "
            + "the storm, \(refused) refused, \(storm.report.neverSent) due but not sent in time"
    }
}
