import Foundation
import Load
import Oracle

/// What a run came to, for people.
struct RunTable {
    let report: LoadReport
    let workload: FleetWorkload

    var lines: [String] {
        let seconds = max(report.seconds, 1e-9)
        let totals = workload.totals
        var lines = [
            String(
                format:
                    "%@ answers in %.2f s: %@ requests/s, %@ readings/s acknowledged, %.1f MB/s",
                "\(report.answers)", seconds, Figures.short(Double(report.answers) / seconds),
                Figures.short(Double(totals.records) / seconds),
                Double(report.bytesSent) / seconds / 1e6),
            "status   " + statuses,
            "readings \(totals.records) = \(totals.stored) stored + \(totals.duplicates) duplicates"
                + " + \(totals.quarantined) quarantined",
        ]
        lines.append("             p50        p90        p99      p99.9        max")
        lines.append(latencies("accepted", report.accepted))
        if report.answers > report.acceptedCount {
            lines.append(latencies("others", report.refused))
        }
        lines.append(
            "retries \(report.retries) · lost \(report.lost) · connections "
                + "\(report.connectionsOpened) opened, \(report.connectionsRefused) refused"
                + (report.neverSent > 0 ? " · never sent \(report.neverSent)" : "")
                + (report.broken > 0 ? " · not HTTP \(report.broken)" : ""))
        lines.append(
            String(
                format: "the generator took %.0f %% of one core",
                Double(report.processorNanoseconds) / Double(max(1, report.elapsedNanoseconds))
                    * 100))
        return lines
    }

    private var statuses: String {
        let sorted = report.statuses.sorted { $0.key < $1.key }
        return sorted.isEmpty
            ? "none" : sorted.map { "\($0.key): \($0.value)" }.joined(separator: " · ")
    }

    private func latencies(_ name: String, _ histogram: LatencyHistogram) -> String {
        let cells = [50, 90, 99, 99.9, 100].map { percentile in
            let text = Figures.milliseconds(milliseconds(histogram, at: percentile))
            return String(repeating: " ", count: max(0, 11 - text.count)) + text
        }
        return name.padding(toLength: 8, withPad: " ", startingAt: 0) + cells.joined().dropFirst(1)
    }
}
