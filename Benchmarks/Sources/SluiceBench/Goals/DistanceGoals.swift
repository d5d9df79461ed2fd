import ArgumentParser
import Fleet
import Foundation
import Load
import Oracle

/// A database on another machine: bodies of 100 readings, with a relay between the server and its
/// database that delivers each byte later.
///
/// The relay is there without a delay too, so that a ratio has the distance alone: the relay's own
/// processor time is the same on both sides.
struct DistanceGoals {
    let plan: GoalPlan

    private static let batch = 100
    /// Of requests a second that come by the clock.
    private static let rate = 300.0

    /// What is to be reached, by the delay each way in milliseconds.
    private struct Aims {
        let delay: Double
        /// Requests a second ÷ those without a delay, by connections.
        let ratios: [(connections: Int, atLeast: Double)]
        let loneMax: Double
        let p50Max: Double
    }

    private static let aims = [
        Aims(delay: 0.5, ratios: [(16, 0.6), (512, 0.95)], loneMax: 4, p50Max: 5),
        Aims(delay: 1, ratios: [(16, 0.4), (512, 0.9)], loneMax: 8, p50Max: 10),
    ]

    /// The figures of one delay.
    private struct Measured {
        var requests: [Int: [Double]] = [:]
        var lone: [Double] = []
        var p50: [Double] = []
        var p99: [Double] = []
    }

    func rows() throws -> [GoalOutcome] {
        let settings = plan.settings + ["SLUICE_ROLLUPS=false"]
        // Only its cluster is used.
        let near = try ServerUnderTest(binary: plan.binary, settings: settings)
        defer { near.stop() }
        let distance = try Distance(to: near)
        defer { distance.stop() }
        let server = try ServerUnderTest(
            binary: plan.binary, settings: settings + ["DATABASE_URL=\(distance.database)"],
            database: near.database)
        defer { server.stop() }
        let bench = try ServedGoals(
            server: server, pairs: plan.pairs, isQuick: plan.isQuick, seed: plan.seed)
        var figures: [Double: Measured] = [:]
        var void: String?
        for pair in 0..<plan.pairs where void == nil {
            // The order alternates, so that no delay always gets the warmer machine.
            for delay in pair % 2 == 0 ? [0, 0.5, 1] : [1, 0.5, 0] where void == nil {
                try distance.set(delay: delay)
                void = try measure(bench, into: &figures[delay, default: Measured()])
            }
        }
        return Self.aims.flatMap { aims in
            outcomes(
                aims, figures[aims.delay] ?? Measured(), near: figures[0] ?? Measured(), void)
        }
    }

    /// - Returns: why the runs are void; nil if they count.
    private func measure(
        _ bench: ServedGoals, into figures: inout Measured
    ) throws -> String? {
        let seconds = plan.isQuick ? 2.0 : 5.0
        func run(_ change: (inout LoadPlan) -> Void) throws -> (ServedGoals.Leg, String?) {
            let leg = try bench.leg(
                bench.nextKnownFleet(), batch: Self.batch, seconds: seconds, change: change)
            return (leg, try bench.fault(of: leg))
        }
        for connections in [16, 512] {
            let (leg, fault) = try run { $0.connections = connections }
            if let fault { return fault }
            figures.requests[connections, default: []].append(leg.requestsPerSecond)
        }
        let (lone, loneFault) = try run { $0.connections = 1 }
        if let loneFault { return loneFault }
        figures.lone.append(milliseconds(lone.report.accepted, at: 50))
        let (paced, fault) = try run {
            $0.connections = 64
            $0.pace = .open(requestsPerSecond: Self.rate, arrival: .poisson)
        }
        figures.p50.append(milliseconds(paced.report.accepted, at: 50))
        figures.p99.append(milliseconds(paced.report.accepted, at: 99))
        return fault
    }

    private func outcomes(
        _ aims: Aims, _ far: Measured, near: Measured, _ void: String?
    ) -> [GoalOutcome] {
        let place = "database \(aims.delay) ms away"
        func text(_ far: [Double], _ near: [Double], _ unit: String) -> String {
            func median(_ values: [Double]) -> String {
                values.isEmpty
                    ? "–" : String(format: "%.2f", Figures.median(values))
            }
            return "\(median(far)) against \(median(near)) \(unit)"
        }
        var outcomes = aims.ratios.map { connections, goal in
            let (one, other) = (
                far.requests[connections] ?? [], near.requests[connections] ?? []
            )
            return GoalOutcome(
                name: "\(place), \(connections) conns ÷ beside it", unit: "×",
                direction: .atLeast, goal: goal,
                values: zip(one, other).map { $0 / $1 },
                remark: text(one, other, "requests/s"), void: void)
        }
        outcomes.append(
            GoalOutcome(
                name: "\(place), p50 of a lone batch", unit: "ms", direction: .atMost,
                goal: aims.loneMax, values: far.lone, remark: text(far.lone, near.lone, "ms"),
                void: void))
        outcomes.append(
            GoalOutcome(
                name: "\(place), p50 at 300 requests/s", unit: "ms", direction: .atMost,
                goal: aims.p50Max, values: far.p50, remark: text(far.p50, near.p50, "ms"),
                void: void))
        outcomes.append(
            GoalOutcome(
                name: "\(place), p99 ÷ p50 at 300 requests/s", unit: "×", direction: .atMost,
                goal: 3, values: zip(far.p99, far.p50).map { $0 / $1 },
                remark: text(far.p99, near.p99, "ms p99"), void: void))
        return outcomes
    }
}
