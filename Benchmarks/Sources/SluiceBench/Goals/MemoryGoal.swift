import Foundation
import Load

/// Memory after a burst: resident memory of an idle server that was busy ÷ of one that has just
/// started. It is read each second until it meets the goal, or for ten minutes; the remark has the
/// time. Each pair starts a server of its own.
struct MemoryGoal {
    let plan: GoalPlan

    private static let goal = 1.5
    /// A server that is above the goal for so long has missed it.
    private static let idleSecondsMax = 600.0

    func row() throws -> GoalOutcome {
        var ratios: [Double] = []
        var remarks: [String] = []
        var void: String?
        for pair in 0..<(plan.isQuick ? 1 : plan.pairs) where void == nil {
            let server = try ServerUnderTest(binary: plan.binary, settings: plan.settings)
            defer { server.stop() }
            let bench = try ServedGoals(
                server: server, pairs: 1, isQuick: plan.isQuick, seed: plan.seed &+ UInt64(pair))
            let before = server.residentBytes
            let burst = try bench.leg(
                bench.nextFleet(), batch: 1000, seconds: plan.isQuick ? 4 : 10, retries: false
            ) {
                $0.connections = 1024
            }
            void = try bench.fault(of: burst, allowing: [200, 429, 503])
            let busy = server.residentBytes
            let start = Date()
            var after = busy
            while Double(after) > Self.goal * Double(before),
                -start.timeIntervalSinceNow < Self.idleSecondsMax
            {
                sleep(1)
                after = server.residentBytes
            }
            ratios.append(Double(after) / Double(before))
            remarks.append(
                "\(before >> 20) → \(busy >> 20) → \(after >> 20) MB after "
                    + "\(Int(-start.timeIntervalSinceNow)) s")
        }
        return GoalOutcome(
            name: "memory after a burst ÷ before", unit: "×", direction: .atMost, goal: Self.goal,
            values: ratios,
            remark: "1000-reading bodies from 1024 connections; "
                + remarks.joined(separator: ", "),
            void: void)
    }
}
