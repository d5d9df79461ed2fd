import Foundation

/// The result as one self-contained page: its pictures are inline SVG, it has no scripts, and every
/// number is from the result.
struct HTMLReport {
    let result: LoadResult

    var text: String {
        let body = [
            heading, tiles, thresholds, rates, latencies, histogram, statuses, percentiles, targets,
            stretches, configuration,
        ]
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <title>sluice load, \(escaped(result.startedAt))</title>
            <style>\(Self.style)</style>
            </head>
            <body>
            \(body.filter { !$0.isEmpty }.joined(separator: "\n"))
            </body>
            </html>

            """
    }

    // MARK: - In words

    private var heading: String {
        """
        <h1>Load test</h1>
        <p class="quiet">\(escaped(result.targets.map(\.url).joined(separator: ", ")))<br>
        \(escaped(result.configuration.summary)) · \(escaped(result.startedAt))</p>
        """
    }

    private var tiles: String {
        let requests = result.requests
        let latency = result.latency
        func tile(_ name: String, _ value: String, _ note: String, bad: Bool = false) -> String {
            "<div class=\"tile\(bad ? " bad" : "")\"><span>\(escaped(name))</span>"
                + "<b>\(escaped(value))</b><i>\(escaped(note))</i></div>"
        }
        let cells = [
            tile(
                "Requests", Figures.short(requests.perSecond) + "/s",
                "\(requests.answered) answered in \(String(format: "%.1f", result.seconds)) s"),
            tile(
                "Readings", Figures.short(result.readings.perSecond) + "/s",
                "\(result.readings.acknowledged) acknowledged"),
            tile(
                "p50", latency.map { Figures.milliseconds($0.p50) } ?? "–",
                latency.map { "mean " + Figures.milliseconds($0.mean) } ?? "nothing measured"),
            tile(
                "p99", latency.map { Figures.milliseconds($0.p99) } ?? "–",
                latency.map { "max " + Figures.milliseconds($0.max) } ?? "nothing measured"),
            tile(
                "Failed", Figures.share(requests.failedShare),
                "\(requests.failed) of \(requests.answered + requests.lost) requests",
                bad: requests.failed > 0),
        ]
        return "<div class=\"tiles\">\(cells.joined(separator: "\n"))</div>"
    }

    private var thresholds: String {
        guard !result.thresholds.isEmpty else { return "" }
        let rows = result.thresholds.map { verdict in
            "<tr class=\"\(verdict.holds ? "good" : "bad")\"><td>\(verdict.holds ? "✓" : "✗")</td>"
                + "<td><code>\(escaped(verdict.threshold))</code></td>"
                + "<td>\(escaped(verdict.actualText))</td></tr>"
        }
        return Self.table("Thresholds", ["", "limit", "measured"], rows)
    }

    private var percentiles: String {
        guard let latency = result.latency, let service = result.serviceTime else { return "" }
        func row(_ name: String, _ value: (LoadResult.Latency) -> Double) -> String {
            let cells = [latency, service].map { Self.milliseconds(value($0)) }
            return "<tr><td>\(name)</td><td>\(cells[0])</td><td>\(cells[1])</td></tr>"
        }
        let rows = [
            row("min", \.min), row("mean", \.mean), row("p50", \.p50), row("p90", \.p90),
            row("p95", \.p95), row("p99", \.p99), row("p99.9", \.p999), row("max", \.max),
        ]
        let isCorrected = result.isCorrectedForCoordinatedOmission
        return Self.table(
            "Latency of 2xx answers, ms",
            ["", isCorrected ? "latency" : "latency (closed loop)", "service time"], rows)
            + (isCorrected
                ? "<p class=\"quiet\">Latency counts from when a request was due (corrected for "
                    + "coordinated omission), service time from when it was sent.</p>"
                : "<p class=\"quiet\">In a closed loop a slow answer delays the next request, so a "
                    + "stalled server gets fewer requests. Use --rate or --stages for latencies that "
                    + "are corrected for coordinated omission.</p>")
    }

    private var targets: String {
        guard result.targets.count > 1 else { return "" }
        let rows = result.targets.map { target in
            "<tr><td>\(escaped(target.url))</td><td>\(escaped(RunTable.text(target.statuses)))</td>"
                + "<td>\(target.lost)</td>"
                + "<td>\(target.latency.map { Self.milliseconds($0.p50) } ?? "–")</td>"
                + "<td>\(target.latency.map { Self.milliseconds($0.p99) } ?? "–")</td></tr>"
        }
        return Self.table("Targets", ["", "answers", "lost", "p50, ms", "p99, ms"], rows)
    }

    private var stretches: String {
        let rows = result.series.map { stretch in
            let cells =
                [Self.number(stretch.second)]
                + [stretch.sent, stretch.succeeded, stretch.refused, stretch.lost].map(String.init)
                + [stretch.p50, stretch.p90, stretch.p99, stretch.max].map(Self.milliseconds)
            return "<tr>" + cells.map { "<td>\($0)</td>" }.joined() + "</tr>"
        }
        return "<details><summary>Every \(Self.number(result.stretchSeconds)) s</summary>"
            + Self.table(
                nil, ["second", "sent", "2xx", "other", "lost", "p50, ms", "p90", "p99", "max"],
                rows)
            + "</details>"
    }

    private var configuration: String {
        let readings = result.readings
        let requests = result.requests
        let facts: [(String, String)] = [
            ("mode", result.configuration.summary),
            ("seed", "\(result.configuration.seed)"),
            ("timeout", "\(TimeSpan(seconds: result.configuration.timeoutSeconds))"),
            (
                "readings",
                "\(readings.sent) sent, \(readings.stored) stored, \(readings.duplicates) duplicates, "
                    + "\(readings.quarantined) quarantined, \(readings.spooled) spooled"
            ),
            (
                "requests",
                "\(requests.retried) sent again, \(requests.lost) without an answer, "
                    + "\(requests.dropped) due but never sent, "
                    + "\(requests.refusedAsExpected) malformed on purpose"
            ),
            (
                "connections",
                "\(result.connections.opened) opened, \(result.connections.refused) refused"
            ),
            ("generator", Figures.percent(result.generatorCores) + " of one core"),
        ]
        return Self.table(
            "Run", [], facts.map { "<tr><td>\($0.0)</td><td>\(escaped($0.1))</td></tr>" })
    }

    // MARK: - In pictures

    private var horizontal: Axis {
        Axis(
            exactly: max(
                result.seconds, Double(result.series.count) * result.stretchSeconds), ticks: 8)
    }

    private func chart(_ title: String, _ vertical: Axis, _ label: @escaping (Double) -> String)
        -> Chart
    {
        Chart(
            title: title, horizontal: horizontal, vertical: vertical,
            horizontalLabel: { Self.number($0) + " s" }, verticalLabel: label)
    }

    /// A value of each interval, at the interval's middle.
    private func line(
        _ name: String, _ style: String, _ value: (LoadResult.Stretch) -> Double?
    ) -> Chart.Line {
        Chart.Line(
            name: name, style: style,
            points: result.series.map { ($0.second + result.stretchSeconds / 2, value($0)) })
    }

    /// Nil for a last interval that is too short for a rate.
    private func rate(_ count: Int, _ stretch: LoadResult.Stretch) -> Double? {
        let length = min(result.seconds - stretch.second, result.stretchSeconds)
        return length >= result.stretchSeconds / 2 ? Double(count) / length : nil
    }

    private var rates: String {
        guard !result.series.isEmpty else { return "" }
        var lines = [
            line("2xx", "ok") { rate($0.succeeded, $0) },
            line("other or no answer", "bad") { rate($0.refused + $0.lost, $0) },
        ]
        if result.configuration.requestsPerSecond != nil {
            lines.insert(
                line("planned", "plan") { stretch in
                    stretch.second < result.configuration.durationSeconds
                        ? stretch.plannedPerSecond : nil
                }, at: 0)
        }
        let top = lines.flatMap(\.points).compactMap(\.y).max() ?? 1
        return figure(
            chart("Requests per second", Axis(upTo: top, ticks: 5), Self.short).svg(lines: lines))
    }

    private var latencies: String {
        let measured = result.series.filter { $0.succeeded > 0 }
        guard let low = measured.map(\.p50).min(), let high = measured.map(\.max).max() else {
            return ""
        }
        let lines = [
            line("max", "max") { $0.succeeded > 0 ? $0.max : nil },
            line("p99", "p99") { $0.succeeded > 0 ? $0.p99 : nil },
            line("p90", "p90") { $0.succeeded > 0 ? $0.p90 : nil },
            line("p50", "p50") { $0.succeeded > 0 ? $0.p50 : nil },
        ]
        let corrected =
            result.isCorrectedForCoordinatedOmission
            ? ", corrected for coordinated omission" : ", closed loop"
        return figure(
            chart(
                "Latency\(corrected)", Axis(logarithmicFrom: low, to: high),
                Self.span
            ).svg(lines: lines))
    }

    private var histogram: String {
        guard let first = result.histogram.first, let last = result.histogram.last else {
            return ""
        }
        let top = result.histogram.map(\.count).max() ?? 1
        let chart = Chart(
            title: "Distribution of latencies (2xx)",
            horizontal: Axis(logarithmicFrom: max(first.from, first.to / 2), to: last.to),
            vertical: Axis(upTo: Double(top), ticks: 4), horizontalLabel: Self.span,
            verticalLabel: Self.short)
        return figure(
            chart.svg(
                bars: result.histogram.map {
                    (
                        $0.from, $0.to, Double($0.count),
                        "\(Self.milliseconds($0.from))–\(Self.milliseconds($0.to)) ms: \($0.count)"
                    )
                }))
    }

    private var statuses: String {
        var entries = result.statuses.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        if result.requests.lost > 0 { entries.append(("no answer", result.requests.lost)) }
        guard let most = entries.map(\.1).max() else { return "" }
        let sum = entries.reduce(0) { $0 + $1.1 }
        var body = ""
        for (place, entry) in entries.enumerated() {
            let y = 34 + place * 24
            let width = max(1.5, 470 * Double(entry.1) / Double(most))
            let style = entry.0.first == "2" ? "s2" : entry.0.first == "4" ? "s4" : "s5"
            body += """
                <text class="tick end" x="84" y="\(y + 13)">\(escaped(entry.0))</text>\
                <rect class="\(style)" x="92" y="\(y)" width="\(String(format: "%.1f", width))" height="17"/>\
                <text class="tick" x="\(String(format: "%.1f", 100 + width))" y="\(y + 13)">\
                \(entry.1) (\(Figures.share(Double(entry.1) / Double(sum))))</text>

                """
        }
        return figure(
            "<svg viewBox=\"0 0 760 \(44 + entries.count * 24)\" role=\"img\" "
                + "aria-label=\"Answers by status\">\n<text class=\"title\" x=\"64\" y=\"16\">"
                + "Answers by status</text>\n\(body)</svg>\n")
    }

    private func figure(_ svg: String) -> String { "<figure>\(svg)</figure>" }

    // MARK: - Numbers

    private static func table(_ title: String?, _ heads: [String], _ rows: [String]) -> String {
        let head =
            heads.isEmpty
            ? "" : "<tr>" + heads.map { "<th>\(escaped($0))</th>" }.joined() + "</tr>\n"
        return (title.map { "<h2>\(escaped($0))</h2>\n" } ?? "")
            + "<table>\n\(head)\(rows.joined(separator: "\n"))\n</table>"
    }

    static func milliseconds(_ value: Double) -> String {
        String(format: value < 10 ? "%.3f" : value < 1000 ? "%.1f" : "%.0f", value)
    }

    private static func short(_ value: Double) -> String {
        value == value.rounded() || value >= 100
            ? Figures.short(value) : String(format: "%.2f", value)
    }

    /// Formats milliseconds in the unit that makes them short.
    private static func span(_ value: Double) -> String {
        switch value {
        case ..<0.9995: number((value * 1000).rounded()) + " µs"
        case ..<999.5: number(value) + " ms"
        default: number(value / 1000) + " s"
        }
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() ? String(Int(value)) : String(format: "%g", value)
    }

    private static let style = """
        :root{color-scheme:light dark;--text:#1c2733;--quiet:#667482;--back:#fff;--tile:#f3f5f8;\
        --grid:#dde3ea;--ok:#1f7a4d;--bad:#c2362b;--plan:#8a97a5;--p50:#2563c9;--p90:#7a5bd0;\
        --p99:#d9822b;--max:#b9c2cc;--warn:#d9822b}
        @media(prefers-color-scheme:dark){:root{--text:#e4e9ee;--quiet:#94a1ae;--back:#14191f;\
        --tile:#1e252d;--grid:#2d3742;--ok:#4cc38a;--bad:#f0766b;--plan:#7d8a97;--p50:#6ea4ff;\
        --p90:#ab92f5;--p99:#f2a65a;--max:#56626e;--warn:#f2a65a}}
        body{font:15px/1.45 system-ui,sans-serif;color:var(--text);background:var(--back);\
        max-width:820px;margin:2em auto;padding:0 1em}
        h1{margin:0;font-size:1.5em}h2{font-size:1.05em;margin:1.6em 0 .4em}
        .quiet{color:var(--quiet);margin:.3em 0 1.2em}
        .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(140px,1fr));gap:10px}
        .tile{background:var(--tile);border-radius:8px;padding:.7em .9em}
        .tile span,.tile i{display:block;color:var(--quiet);font-style:normal;font-size:.85em}
        .tile b{font-size:1.45em;font-weight:600}.tile.bad b,tr.bad td{color:var(--bad)}
        tr.good td:first-child{color:var(--ok)}
        figure{margin:1.4em 0 0}svg{width:100%;height:auto;display:block}
        .title{font-weight:600;font-size:14px;fill:var(--text)}
        .tick{font-size:12px;fill:var(--quiet)}.end{text-anchor:end}.middle{text-anchor:middle}
        .grid{stroke:var(--grid);stroke-width:1}
        .line{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}
        .ok{stroke:var(--ok)}.bad{stroke:var(--bad)}.plan{stroke:var(--plan);stroke-dasharray:5 4}
        .p50{stroke:var(--p50)}.p90{stroke:var(--p90)}.p99{stroke:var(--p99)}.max{stroke:var(--max)}
        .bar{fill:var(--p50)}.s2{fill:var(--ok)}.s4{fill:var(--warn)}.s5{fill:var(--bad)}
        table{border-collapse:collapse;font-variant-numeric:tabular-nums}
        th,td{text-align:left;padding:.2em 1.2em .2em 0;border-bottom:1px solid var(--grid)}
        th{color:var(--quiet);font-weight:400}details{margin-top:1.6em}summary{cursor:pointer}
        """
}
