import Foundation
import Instruments
import Testing

@testable import Status

@Suite struct StatusReportTests {
    @Test func `a report can be decoded from its JSON unchanged`() throws {
        var situation = Situation()
        situation.load(batches: 1234, wait: 0.0005, service: 0.002, busy: 0.4)
        situation.cores(loops: 0.1, machine: 0.3)
        situation.now.quarantine = ["lat_out_of_range": 7, "type_unknown": 3]
        situation.now.routes["/health"] = RouteSample()
        situation.now.jobs.kinds["capture.analyse"] = JobSample.Kind()
        situation.now.slowest = [
            SlowestDevices.Entry(
                deviceID: "é\"\n<b>", nanoseconds: 412_000_000, unixSeconds: 1_795_300_000)
        ]
        let report = situation.report
        let json = report.json()
        #expect(!json.contains("\n"))
        #expect(StatusReport(json: json) == report)
        for name in [
            "\"uptime_seconds\"", "\"database_up\"", "\"busy_share\"", "\"in_flight_bytes_max\"",
            "\"device_id\"", "\"p99\"", "\"queue_wait_seconds\"", "\"requests_refused\"",
        ] {
            #expect(json.contains(name), "\(name)")
        }
    }

    @Test(arguments: ["", "{}", "null", "{\"version\":1}", "[1,2]"])
    func `other texts are no report`(text: String) {
        #expect(StatusReport(json: text) == nil)
    }

    @Test func `rates are for the time that has passed, and never negative`() {
        var situation = Situation()
        situation.earlier.totals.readings = 1000
        situation.now.totals.readings = 4000
        situation.now.totals.stored = 0
        situation.earlier.totals.stored = 5
        situation.now.uptime = situation.earlier.uptime + .seconds(2)
        #expect(situation.report.rates.readings == 1500)
        #expect(situation.report.rates.stored == 0)
        #expect(situation.report.totals.readings == 4000)
    }

    @Test func `two samples of the same moment make a report without NaN or infinity`() {
        var situation = Situation()
        situation.load(batches: 10, wait: 0.1, service: 0.1, busy: 1)
        situation.now.uptime = situation.earlier.uptime
        situation.now.process.host = situation.earlier.process.host
        #expect(StatusReport(json: situation.report.json()) == situation.report)
    }

    @Test func `a sample has the values of a registry`() {
        let registry = Registry()
        let ledger = ReadingLedger()
        registry.add(ledger)
        ledger.enter {
            $0.received = 10
            ($0.stored, $0.duplicates, $0.quarantined) = (7, 2, 1)
        }
        for (status, count) in [("200", 5), ("202", 2), ("503", 3)] {
            registry.counter(
                "sluice_http_requests_total", help: "Requests.",
                labels: [MetricLabel("route", "/ingest"), MetricLabel("status", status)]
            ).increment(by: count)
        }
        registry.counter(
            "sluice_http_requests_total", help: "Requests.",
            labels: [MetricLabel("route", "/health"), MetricLabel("status", "503")]
        ).increment(by: 4)
        let wait = registry.histogram(
            "sluice_queue_wait_seconds", help: "Wait.", unit: .seconds,
            bounds: Histogram.latencyBounds)
        wait.record(.milliseconds(3))
        for lane in [1, 0] {
            registry.counter(
                "sluice_lane_busy_seconds_total", help: "Busy.",
                labels: [MetricLabel("lane", "\(lane)")]
            ) { Double(lane) + 0.5 }
        }
        for (method, milliseconds) in [("GET", 2), ("PUT", 200)] {
            registry.histogram(
                "sluice_http_request_seconds", help: "Times.",
                labels: [MetricLabel("route", "/health"), MetricLabel("method", method)],
                unit: .seconds, bounds: Histogram.latencyBounds
            ).record(.milliseconds(milliseconds))
        }
        let sample = Sample(registry.figures())
        #expect(sample.totals.readings == 10)
        #expect(sample.totals.stored == 7)
        #expect(sample.totals.duplicates == 2)
        #expect(sample.totals.quarantined == 1)
        #expect(sample.totals.requests == 10)
        #expect(sample.totals.requestsRefused == 3)
        #expect(sample.batchesSpooled == 2)
        let health = sample.routes["/health"]
        #expect(health?.requests == 4 && health?.failures == 4)
        #expect(health?.times.count == 2)
        #expect(health?.times.quantile(1) == 0.2)
        #expect(sample.queueWait.count == 1)
        #expect(sample.lanes.map(\.busySeconds) == [0.5, 1.5])
        #expect(sample.spool == nil)
    }

    @Test func `values and text of a registry are equal`() throws {
        let registry = Registry()
        registry.counter("a_total", help: "A.").increment(by: 3)
        registry.gauge("b", help: "B.").set(4)
        registry.add(ProcessFigures())
        let figures = registry.figures()
        #expect(figures.value("a_total") == 3)
        #expect(figures.sum("b") == 4)
        #expect((figures.value("process_resident_memory_bytes") ?? 0) > 1e6)
        let files = try #require(figures.value("process_open_fds"))
        #expect(files >= 3 && files < (figures.value("process_max_fds") ?? 0))
        #expect(registry.render().contains("a_total 3\n"))
    }

    @Test func `times are written in UTC`() {
        var situation = Situation()
        situation.now.unixSeconds = 951_827_696
        #expect(situation.report.at == "2000-02-29T12:34:56Z")
    }

    @Test func `cores are counted and their time is shared out`() {
        let text = "cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2\ncpu1 3 4\nintr 5\n"
        let host = HostFigures(statistics: text)
        #expect(host == HostFigures(busy: 150, total: 1000, cores: 2))
        let later = HostFigures(busy: 200, total: 1100, cores: 2)
        #expect(host.flatMap { later.busyShare(since: $0) } == 0.5)
        #expect(later.busyShare(since: later) == nil)
        #expect(HostFigures(statistics: "nothing") == nil)
        #expect(HostFigures.read()?.cores ?? 0 > 0)
    }
}
