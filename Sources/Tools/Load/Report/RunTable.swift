import Foundation

/// The result of a run as text for people.
struct RunTable {
    let result: LoadResult

    var lines: [String] {
        let requests = result.requests
        let readings = result.readings
        var lines = [
            String(
                format:
                    "%@ answers in %.2f s: %@ requests/s, %@ readings/s acknowledged, %.1f MB/s",
                "\(requests.answered)", result.seconds, Figures.short(requests.perSecond),
                Figures.short(readings.perSecond),
                Double(result.bytesSent) / max(result.seconds, 1e-9) / 1e6),
            "status   " + Self.text(result.statuses),
            "failed   \(Figures.share(requests.failedShare)): \(requests.failed) of "
                + "\(requests.answered + requests.lost) requests"
                + (requests.refusedAsExpected > 0
                    ? ", not counting \(requests.refusedAsExpected) malformed on purpose" : ""),
            "readings \(readings.acknowledged) = \(readings.stored) stored + "
                + "\(readings.duplicates) duplicates + \(readings.quarantined) quarantined"
                + (readings.spooled > 0 ? " + \(readings.spooled) spooled" : "")
                + (readings.uncounted.map { " + \($0) whose answers don't say" } ?? ""),
            "              p50        p90        p99      p99.9        max",
        ]
        let isOpen = result.isCorrectedForCoordinatedOmission
        lines.append(Self.text(isOpen ? "latency*" : "latency", result.latency))
        if isOpen { lines.append(Self.text("service", result.serviceTime)) }
        if let refusals = result.refusalLatency { lines.append(Self.text("not 2xx", refusals)) }
        if isOpen {
            lines.append("         * from when a request was due (coordinated omission corrected)")
        }
        if result.targets.count > 1 {
            for target in result.targets {
                lines.append(
                    "\(target.url)  \(Self.text(target.statuses)) · lost \(target.lost)"
                        + (target.latency.map { " · p99 " + Figures.milliseconds($0.p99) } ?? ""))
            }
        }
        lines.append(
            "retries \(requests.retried) · lost \(requests.lost) · connections "
                + "\(result.connections.opened) opened, \(result.connections.refused) refused"
                + (requests.dropped > 0 ? " · never sent \(requests.dropped)" : "")
                + (result.connections.answersNotHTTP > 0
                    ? " · not HTTP \(result.connections.answersNotHTTP)" : ""))
        lines.append(
            String(format: "the generator used %.0f %% of one core", result.generatorCores * 100))
        for verdict in result.thresholds {
            lines.append(
                "\(verdict.holds ? "✓" : "✗") \(verdict.threshold)  (\(verdict.actualText))")
        }
        return lines + (result.baseline?.lines ?? [])
    }

    static func text(_ statuses: [String: Int]) -> String {
        let sorted = statuses.sorted { $0.key < $1.key }
        return sorted.isEmpty
            ? "none" : sorted.map { "\($0.key): \($0.value)" }.joined(separator: " · ")
    }

    private static func text(_ name: String, _ latency: LoadResult.Latency?) -> String {
        let values = latency.map { [$0.p50, $0.p90, $0.p99, $0.p999, $0.max] } ?? []
        let cells = values.map { value in
            let text = Figures.milliseconds(value)
            return String(repeating: " ", count: max(0, 11 - text.count)) + text
        }
        return name.padding(toLength: 8, withPad: " ", startingAt: 0)
            + (cells.isEmpty ? " none" : cells.joined())
    }
}
