import Fleet
import Load
import Oracle

extension ServedGoals {
    /// Committed rows a second over HTTP ÷ one long libpq COPY of the same rows.
    func copyRow(batch: Int, connections: Int, goal: Double) throws -> GoalOutcome {
        let readings = isQuick ? 1_000_000 : 3_000_000
        var ratios: [Double] = []
        var served: [Double] = []
        var raw: [Double] = []
        // One run to warm up, in which the oracle checks every row.
        var void = try warmUp(batch: batch, connections: connections, readings: readings / 3)
        for pair in 0..<pairs where void == nil {
            let fleet = nextFleet()
            let rows = RawRows(fleet: fleet, batch: batch, readings: readings)
            try makeDays(for: fleet, readings: readings, batch: batch)
            // The order alternates, so that neither side always gets the warmer machine.
            for side in pair % 2 == 0 ? [0, 1] : [1, 0] {
                try copy.clear()
                if side == 0 {
                    let leg = try leg(fleet, batch: batch, readings: readings) {
                        $0.connections = connections
                    }
                    void = try void ?? fault(of: leg)
                    served.append(leg.rowsPerSecond)
                    if batch == 100 {
                        peakRequestsPerSecond = max(
                            peakRequestsPerSecond ?? 0, leg.requestsPerSecond)
                    }
                } else {
                    raw.append(try copy.long(rows))
                }
                let stored = try storedRows()
                if stored != rows.counts { void = void ?? "\(stored) rows, not \(rows.counts)" }
            }
            if let one = served.last, let other = raw.last { ratios.append(one / other) }
        }
        try copy.clear()
        return GoalOutcome(
            name: "rows/s, \(batch)-reading bodies ÷ raw COPY", unit: "×", direction: .atLeast,
            goal: goal, values: ratios, remark: absolute(served, raw, "rows/s"), void: void)
    }

    func warmUp(batch: Int, connections: Int, readings: Int) throws -> String? {
        try copy.clear()
        let warm = try leg(nextFleet(), batch: batch, readings: readings, isChecked: true) {
            $0.connections = connections
        }
        return try fault(of: warm)
    }

    func absolute(_ own: [Double], _ other: [Double], _ unit: String) -> String {
        guard !own.isEmpty, !other.isEmpty else { return "" }
        return "\(Figures.short(Figures.median(own))) against "
            + "\(Figures.short(Figures.median(other))) \(unit)"
    }
}
