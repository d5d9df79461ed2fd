import Fleet
import Foundation
import Load
import Oracle

extension ServedGoals {
    /// Load of ten times the peak: how much is still committed, and how fast the rest is
    /// rejected. Measured once with clients that send their bodies at once, and once with clients
    /// that wait for `100 Continue`.
    ///
    /// The body sizes let the generator and the server reach ten times the peak on the cores that
    /// they share: 0.1 MB if every body is sent, and 1 MB if hardly any is, because clients ask
    /// before they send a body of that size. There are more connections than the lanes have room
    /// for batches.
    ///
    /// The generator uses the same cores to make and send ten times the bytes or connections. So
    /// the remark tells how much of a core the generator took, and the ratio of the goodput to
    /// the peak that such a generator leaves.
    func overloadRows() throws -> [GoalOutcome] {
        var blunt = Storms(name: "bodies at once")
        var polite = Storms(name: "100-continue")
        var void: String?
        for _ in 0..<pairs where void == nil {
            void = try addStorm(to: &blunt, batch: 1000, expectsContinue: false)
            if void == nil {
                void = try addStorm(to: &polite, batch: 12_000, expectsContinue: true)
            }
        }
        return blunt.outcomes(void) + polite.outcomes(void)
    }

    private static let stormConnections = 1024
    private var stormSeconds: Double { isQuick ? 4 : 8 }

    /// One run at the peak and one at ten times the peak.
    ///
    /// - Returns: why the pair is void; nil if it counts.
    private func addStorm(
        to storms: inout Storms, batch: Int, expectsContinue: Bool
    ) throws -> String? {
        try copy.clear()
        let calm = try leg(nextFleet(), batch: batch, seconds: stormSeconds) {
            // Fewer batches than the lanes have room for.
            $0.connections = expectsContinue ? 16 : 64
        }
        if let fault = try fault(of: calm) { return fault }
        try copy.clear()
        let storm = try leg(
            nextFleet(), batch: batch, seconds: stormSeconds, retries: false,
            // As many as can be stored in that time, and some more.
            prepared: Int(calm.requestsPerSecond * stormSeconds * 1.5) + Self.stormConnections,
            withBodies: !expectsContinue
        ) {
            $0.connections = Self.stormConnections
            $0.expectsContinue = expectsContinue
            $0.pace = .open(requestsPerSecond: calm.requestsPerSecond * 10, arrival: .poisson)
        }
        storms.add(calm, storm)
        return try fault(of: storm, allowing: [200, 429, 503])
    }
}

/// The overload runs with one kind of client.
private struct Storms {
    let name: String
    private var goodputs: [Double] = []
    private var refusals: [Double] = []
    private var remarks: [String] = []
    private var void: String?

    init(name: String) {
        self.name = name
    }

    mutating func add(_ calm: ServedGoals.Leg, _ storm: ServedGoals.Leg) {
        let report = storm.report
        let refused = report.statuses.filter { $0.key != 200 }.values.reduce(0, +)
        if refused == 0 { void = "no request was refused" }
        if storm.workload.refusalsWithoutRetryAfter > 0 {
            void = "\(storm.workload.refusalsWithoutRetryAfter) refusals without Retry-After"
        }
        let goodput = storm.rowsPerSecond / calm.rowsPerSecond
        goodputs.append(goodput)
        refusals.append(milliseconds(report.refusedFromSend, at: 99))
        let cores = Double(ProcessInfo.processInfo.activeProcessorCount)
        let (before, during) = (calm.report.coresTaken, report.coresTaken)
        remarks.append(
            "\(Figures.short(calm.rowsPerSecond)) rows/s at the peak; "
                + "\(Figures.short(Double(report.answers) / report.seconds)) of "
                + "\(Figures.short(calm.requestsPerSecond * 10)) requests/s answered, "
                + "\(refused) refused, p50 "
                + Figures.milliseconds(milliseconds(report.refusedFromSend, at: 50))
                + ", from the intended start p50 "
                + Figures.milliseconds(milliseconds(report.refused, at: 50)) + ", p99 "
                + Figures.milliseconds(milliseconds(report.refused, at: 99))
                + "; \(report.connectionsOpened) connections opened; "
                + String(
                    format: "the generator used %.0f %% and then %.0f %% of a core; corrected for "
                        + "this, the goodput is %.2f of the peak",
                    before * 100, during * 100, goodput * (cores - before) / (cores - during)))
    }

    func outcomes(_ failure: String?) -> [GoalOutcome] {
        [
            GoalOutcome(
                name: "overload 10 ×, \(name): goodput ÷ peak", unit: "×", direction: .atLeast,
                goal: 0.7, values: goodputs, remark: remarks.last ?? "", void: failure ?? void),
            GoalOutcome(
                name: "overload 10 ×, \(name): p99 refusal", unit: "ms", direction: .atMost,
                goal: 10, values: refusals, void: failure ?? void),
        ]
    }
}
