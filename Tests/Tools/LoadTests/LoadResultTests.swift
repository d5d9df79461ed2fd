import Fleet
import Foundation
import Readings
import Testing

@testable import Load

/// Results for tests of their output.
enum Sample {
    static func result(
        of report: LoadReport, pace: LoadPlan.Pace = .closed,
        urls: [String] = ["http://127.0.0.1:8080"]
    ) throws -> LoadResult {
        var plan = LoadPlan(target: try Target(url: urls[0]))
        plan.targets = try urls.map { try Target(url: $0) }
        plan.pace = pace
        let fleet = FleetModel(FleetProfile(start: Timestamp(microseconds: 0)))
        let workload = FleetWorkload(
            fleet: fleet,
            itinerary: WorkloadPlan(devices: 1, batch: 1, readings: 0, habits: Habits(), seed: 1))
        return LoadResult(
            report, plan: plan, tally: workload.tally,
            configuration: .init(
                mode: pace == .closed ? "closed loop" : "open loop", connections: 2, outstanding: 1,
                requestsPerSecond: pace == .closed ? nil : 100, durationSeconds: 4,
                timeoutSeconds: 30, devices: 1, batch: 1, seed: 1),
            startedAt: "2026-01-01T00:00:00Z")
    }

    /// Four seconds with successes, rejections and a lost request.
    static func report(targets: Int) -> LoadReport {
        var report = LoadReport()
        report.elapsedNanoseconds = 4_000_000_000
        report.series = LoadSeries(durationNanoseconds: 4_000_000_000)
        report.targets = (0..<targets).map { _ in TargetReport() }
        for number in 0..<400 {
            let latency = UInt64(number + 1) * 250_000
            report.series.advance(to: UInt64(number) * 10_000_000)
            report.series.sent()
            if number % 40 == 0 {
                report.statuses[503, default: 0] += 1
                report.refused.record(latency)
                report.series.refused()
            } else {
                report.statuses[200, default: 0] += 1
                report.accepted.record(latency)
                report.acceptedFromSend.record(latency / 2)
                report.targets[number % targets].statuses[200, default: 0] += 1
                report.targets[number % targets].accepted.record(latency)
                report.series.accepted(after: latency)
            }
        }
        report.lost = 1
        report.series.lost()
        report.series.finish()
        return report
    }
}

@Suite struct LoadResultTests {
    @Test func `its numbers are those of the run`() throws {
        let report = Sample.report(targets: 2)
        let result = try Sample.result(
            of: report, pace: .open(requestsPerSecond: 100, arrival: .even),
            urls: ["http://127.0.0.1:8080", "http://127.0.0.1:8081"])
        #expect(result.requests.answered == 400)
        #expect(result.requests.succeeded == 390)
        #expect(result.requests.failed == 11)
        #expect(result.requests.failedShare == 11.0 / 401)
        #expect(result.requests.perSecond == 100)
        #expect(result.statuses == ["200": 390, "503": 10])
        #expect(result.isCorrectedForCoordinatedOmission)
        #expect(result.latency?.p99 == milliseconds(report.accepted, at: 99))
        #expect(result.serviceTime?.max == 50)
        #expect(result.targets.compactMap(\.latency?.count).reduce(0, +) == 390)
        #expect(result.series.reduce(0) { $0 + $1.sent } == 400)
        #expect(result.series.reduce(0) { $0 + $1.succeeded } == 390)
        #expect(result.series.reduce(0) { $0 + $1.refused } == 10)
        #expect(result.series.reduce(0) { $0 + $1.lost } == 1)
        #expect(result.series.allSatisfy { abs(($0.plannedPerSecond ?? 0) - 100) < 1e-6 })
        #expect(result.histogram.reduce(0) { $0 + $1.count } == 390)
        #expect(zip(result.histogram, result.histogram.dropFirst()).allSatisfy { $0.to == $1.from })
    }

    @Test func `its JSON text decodes to the same result, with keys in snake case`() throws {
        var result = try Sample.result(of: Sample.report(targets: 1))
        result.thresholds = [
            .init(threshold: "p99<50ms", actual: 12, actualText: "12 ms", holds: true)
        ]
        let data = try result.json()
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        #expect(try decoder.decode(LoadResult.self, from: data) == result)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains("\"failed_share\""))
        #expect(text.contains("\"is_corrected_for_coordinated_omission\" : false"))
    }

    @Test func `a run without answers has a result too`() throws {
        var report = LoadReport()
        report.elapsedNanoseconds = 1
        report.targets = [TargetReport()]
        let result = try Sample.result(of: report)
        #expect(result.latency == nil && result.histogram.isEmpty)
        #expect(result.requests.failedShare == 1)
        #expect(!RunTable(result: result).lines.isEmpty)
        try Markup.check(HTMLReport(result: result).text)
    }
}

@Suite struct HTMLReportTests {
    private func page(
        pace: LoadPlan.Pace = .open(requestsPerSecond: 100, arrival: .even)
    ) throws -> (text: String, result: LoadResult) {
        var result = try Sample.result(
            of: Sample.report(targets: 2), pace: pace,
            urls: ["http://127.0.0.1:8080/a?b=<i>&c='\"", "http://127.0.0.1:8081"])
        result.thresholds = [
            .init(threshold: "p99<50ms", actual: 99, actualText: "99 ms", holds: false),
            .init(threshold: "failed<5%", actual: 0.027, actualText: "2.7 %", holds: true),
        ]
        return (HTMLReport(result: result).text, result)
    }

    @Test(arguments: [LoadPlan.Pace.closed, .open(requestsPerSecond: 100, arrival: .poisson)])
    func `it is well-formed, and loads nothing from elsewhere`(pace: LoadPlan.Pace) throws {
        let (text, _) = try page(pace: pace)
        try Markup.check(text)
        for word in ["<script", "src=", "href=", "url(", "@import", "<link", "<i>&"] {
            #expect(!text.contains(word), "\(word)")
        }
        #expect(text.contains("b=&lt;i&gt;&amp;c=&#39;&quot;"))
        // Rates, latencies, histogram, statuses.
        #expect(text.components(separatedBy: "<svg ").count == 5)
        #expect(!text.contains("nan") && !text.contains("inf\""))
    }

    @Test func `its numbers are those of the result`() throws {
        let (text, result) = try page()
        let latency = try #require(result.latency)
        #expect(text.contains("<b>\(Figures.short(result.requests.perSecond))/s</b>"))
        #expect(text.contains("<b>\(Figures.milliseconds(latency.p99))</b>"))
        #expect(text.contains("<td>p99.9</td><td>\(HTMLReport.milliseconds(latency.p999))</td>"))
        #expect(text.contains("390 (97.3 %)") && text.contains("10 (2.5 %)"))
        #expect(text.contains("<tr class=\"bad\"><td>✗</td><td><code>p99&lt;50ms</code></td>"))
        // One bar for each range with an answer, and one row for each stretch.
        let bars = result.histogram.count { $0.count > 0 }
        #expect(text.components(separatedBy: "<rect class=\"bar\"").count == bars + 1)
        let rows = text.components(separatedBy: "<details>")[1].components(separatedBy: "<tr>")
        #expect(rows.count == result.series.count + 2 + 7)
    }
}

/// Checks that tags are closed in order. XHTML would allow an XML parser, but for the doctype and
/// `meta`.
enum Markup {
    struct Fault: Error {
        let tag: String
        let open: [String]
    }

    static func check(_ text: String) throws {
        var open: [String] = []
        for part in text.split(separator: "<").dropFirst() {
            let tag = String(part.prefix { $0 != ">" })
            guard part.contains(">"), !tag.isEmpty else { throw Fault(tag: tag, open: open) }
            let name = tag.prefix { $0.isLetter || $0.isNumber || $0 == "/" || $0 == "!" }
            if name.hasPrefix("!") || tag.hasSuffix("/") || ["meta", "br"].contains(name) {
                continue
            }
            if name.hasPrefix("/") {
                guard open.popLast() == String(name.dropFirst()) else {
                    throw Fault(tag: tag, open: open)
                }
            } else {
                open.append(String(name))
            }
            // Every attribute has two quotes.
            guard tag.count(where: { $0 == "\"" }) % 2 == 0 else {
                throw Fault(tag: tag, open: open)
            }
        }
        guard open.isEmpty else { throw Fault(tag: "", open: open) }
    }
}
