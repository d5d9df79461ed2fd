import Fleet
import Load

/// What other apps and agents post, beside the same readings as batches of `/ingest`.
extension ServedGoals {
    func formatRows() throws -> [GoalOutcome] {
        [
            try formatRow(.ndjson, batch: 100, connections: 64, goal: 0.8),
            try formatRow(.overland, batch: 100, connections: 64, goal: 0.5),
            try formatRow(.otlp, batch: 100, connections: 64, goal: 0.5),
            try formatRow(.owntracks, batch: 1, connections: 512, goal: 0.8),
        ]
    }

    /// Committed rows a second, with equally many readings a request on both sides.
    private func formatRow(
        _ format: BodyFormat, batch: Int, connections: Int, goal: Double
    ) throws -> GoalOutcome {
        let readings = (batch == 1 ? 200_000 : 1_500_000) / (isQuick ? 4 : 1)
        var rates: [[Double]] = [[], []]
        var void: String?
        for pair in 0...pairs where void == nil {
            let fleet = nextFleet(shares: format.onlyShares)
            try makeDays(for: fleet, readings: readings, batch: batch)
            for side in pair % 2 == 0 ? [0, 1] : [1, 0] {
                try copy.clear()
                let leg = try leg(
                    fleet, batch: batch, readings: readings, format: side == 0 ? format : .ingest
                ) {
                    $0.connections = connections
                }
                void = try void ?? fault(of: leg)
                // The first pair warms up.
                if pair > 0 { rates[side].append(leg.rowsPerSecond) }
            }
        }
        try copy.clear()
        return GoalOutcome(
            name: "rows/s, \(format.rawValue), \(batch)-reading bodies ÷ /ingest", unit: "×",
            direction: .atLeast, goal: goal, values: zip(rates[0], rates[1]).map { $0 / $1 },
            remark: absolute(rates[0], rates[1], "rows/s"), void: void)
    }
}
