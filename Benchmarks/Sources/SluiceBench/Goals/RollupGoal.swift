import Fleet
import Load
import Oracle

/// The cost of hourly rollups: committed rows a second with them ÷ without them, for 100-reading
/// bodies. There are two servers, each with its own database; the one that gets no load is idle.
struct RollupGoal {
    let plan: GoalPlan

    private static let batch = 100
    private static let connections = 512

    func row() throws -> GoalOutcome {
        let kept = try ServerUnderTest(
            binary: plan.binary, settings: plan.settings + ["SLUICE_ROLLUPS=true"])
        defer { kept.stop() }
        let plain = try ServerUnderTest(
            binary: plan.binary, settings: plan.settings + ["SLUICE_ROLLUPS=false"])
        defer { plain.stop() }
        let sides = try [kept, plain].map {
            try ServedGoals(server: $0, pairs: plan.pairs, isQuick: plan.isQuick, seed: plan.seed)
        }
        let readings = plan.isQuick ? 1_000_000 : 3_000_000
        var rates: [[Double]] = [[], []]
        var void: String?
        for pair in 0...plan.pairs where void == nil {
            for place in pair % 2 == 0 ? [0, 1] : [1, 0] {
                let side = sides[place]
                try side.copy.clear()
                let fleet = side.nextFleet()
                try side.makeDays(for: fleet, readings: readings, batch: Self.batch)
                let leg = try side.leg(fleet, batch: Self.batch, readings: readings) {
                    $0.connections = Self.connections
                }
                void = try void ?? side.fault(of: leg)
                if place == 0 { void = try void ?? fault(of: side.session) }
                // The first pair warms up.
                if pair > 0 { rates[place].append(leg.rowsPerSecond) }
            }
        }
        return GoalOutcome(
            name: "rows/s with rollups ÷ without, 100-reading bodies", unit: "×",
            direction: .atLeast, goal: 0.95, values: zip(rates[0], rates[1]).map { $0 / $1 },
            remark: sides[0].absolute(rates[0], rates[1], "rows/s"), void: void)
    }

    /// Why the rollups do not cover exactly the stored readings; nil if they do.
    private func fault(of session: Session) throws -> String? {
        for kind in ["vital", "gps"] {
            let kept = try session.number(
                "select coalesce(sum(readings), 0)::bigint from sluice.\(kind)_hours")
            let rows = try session.number("select count(*) from sluice.\(kind)")
            guard kept == rows, rows > 0 else {
                return "the rollups hold \(kept) of \(rows) \(kind) readings"
            }
        }
        return nil
    }
}
