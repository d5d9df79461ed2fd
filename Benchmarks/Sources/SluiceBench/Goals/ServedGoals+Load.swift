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
        return GoalOutcome(
            name: "p99 acknowledgement at half peak, open loop", unit: "ms", direction: .atMost,
            goal: max(10, 3 * commit), values: latencies,
            remark: "\(Figures.short(half)) requests/s of 100 readings; COPY+COMMIT of 1000 rows "
                + "p50 \(Figures.milliseconds(commit)), p99 "
                + "\(Figures.milliseconds(slowCommits.isEmpty ? 0 : Figures.median(slowCommits))); "
                + "p50/p99.9 \(details.joined(separator: ", "))",
            void: void)
    }

    /// Ten times the peak: what is still committed, and how fast the rest is refused; once with
    /// clients that send their bodies at once, once with clients that ask first.
    ///
    /// Large bodies, so that ten times the peak is a rate that generator and server can reach on
    /// the cores they share, and more connections than the lanes have room for batches.
    func overloadRows() throws -> [GoalOutcome] {
        var blunt = Storms(name: "bodies at once")
        var polite = Storms(name: "100-continue")
        var void: String?
        for _ in 0..<pairs where void == nil {
            try copy.clear()
            let calm = try leg(nextFleet(), batch: Self.stormBatch, seconds: stormSeconds) {
                $0.connections = 64
            }
            void = try fault(of: calm)
            for expects in [false, true] where void == nil {
                try copy.clear()
                let storm = try leg(
                    nextFleet(), batch: Self.stormBatch, seconds: stormSeconds, retries: false,
                    // As many as can be stored in that time, and some.
                    prepared: Int(calm.requestsPerSecond * stormSeconds * 1.5)
                        + Self.stormConnections
                ) {
                    $0.connections = Self.stormConnections
                    $0.expectsContinue = expects
                    $0.pace = .open(
                        requestsPerSecond: calm.requestsPerSecond * 10, arrival: .poisson)
                }
                void = try fault(of: storm, allowing: [200, 429, 503])
                if expects { polite.add(calm, storm) } else { blunt.add(calm, storm) }
            }
        }
        return blunt.outcomes(void) + polite.outcomes(void)
    }

    private static let stormBatch = 1000
    private static let stormConnections = 1024
    private var stormSeconds: Double { isQuick ? 4 : 8 }

    /// The overloads of one kind of client.
    private struct Storms {
        let name: String
        private var goodputs: [Double] = []
        private var refusals: [Double] = []
        private var remark = ""
        private var void: String?

        init(name: String) {
            self.name = name
        }

        mutating func add(_ calm: Leg, _ storm: Leg) {
            let refused = storm.report.statuses.filter { $0.key != 200 }.values.reduce(0, +)
            if refused == 0 { void = "nothing was refused" }
            if storm.workload.refusalsWithoutRetryAfter > 0 {
                void = "\(storm.workload.refusalsWithoutRetryAfter) refusals without Retry-After"
            }
            goodputs.append(storm.rowsPerSecond / calm.rowsPerSecond)
            refusals.append(milliseconds(storm.report.refusedFromSend, at: 99))
            let answers = Double(storm.report.answers) / storm.report.seconds
            remark =
                "\(Figures.short(calm.rowsPerSecond)) rows/s calm; \(Figures.short(answers)) of "
                + "\(Figures.short(calm.requestsPerSecond * 10)) requests/s answered, "
                + "\(refused) refused, p50 "
                + Figures.milliseconds(milliseconds(storm.report.refusedFromSend, at: 50))
        }

        func outcomes(_ failure: String?) -> [GoalOutcome] {
            [
                GoalOutcome(
                    name: "overload 10 ×, \(name): goodput ÷ peak", unit: "×", direction: .atLeast,
                    goal: 0.9, values: goodputs, remark: remark, void: failure ?? void),
                GoalOutcome(
                    name: "overload 10 ×, \(name): p99 refusal", unit: "ms", direction: .atMost,
                    goal: 10, values: refusals, void: failure ?? void),
            ]
        }
    }
}
