import Foundation
import Instruments
import Testing

@Suite struct RegistryTests {
    @Test func `a page shows families in the order of their registration`() {
        let registry = Registry()
        let requests = registry.counters(
            "sluice_requests_total", help: "Answers by status.", label: "status",
            keys: [200, 401])
        registry.gauge("sluice_database_up", help: "1 when up.") { 1 }
        let wait = registry.histogram(
            "sluice_wait_seconds", help: "Waiting.", labels: [MetricLabel("lane", "0")],
            unit: .seconds, bounds: [1_000_000, 10_000_000])
        requests[200].increment(by: 3)
        requests[418].increment()
        wait.record(.milliseconds(5))
        #expect(
            registry.render() == """
                # HELP sluice_requests_total Answers by status.
                # TYPE sluice_requests_total counter
                sluice_requests_total{status="200"} 3
                sluice_requests_total{status="401"} 0
                sluice_requests_total{status="other"} 1
                # HELP sluice_database_up 1 when up.
                # TYPE sluice_database_up gauge
                sluice_database_up 1
                # HELP sluice_wait_seconds Waiting.
                # TYPE sluice_wait_seconds histogram
                sluice_wait_seconds_bucket{lane="0",le="0.001"} 0
                sluice_wait_seconds_bucket{lane="0",le="0.01"} 1
                sluice_wait_seconds_bucket{lane="0",le="+Inf"} 1
                sluice_wait_seconds_sum{lane="0"} 0.005
                sluice_wait_seconds_count{lane="0"} 1

                """)
    }

    @Test func `help and label values are escaped`() {
        let registry = Registry()
        registry.gauge(
            "a", help: "back\\slash and\nbreak and \"quote\"",
            labels: [MetricLabel("x", "q\"u\\o\nte")]
        ) { .nan }
        #expect(
            registry.render() == """
                # HELP a back\\\\slash and\\nbreak and "quote"
                # TYPE a gauge
                a{x="q\\"u\\\\o\\nte"} NaN

                """)
    }

    @Test func `registering a series twice is a bug`() async {
        await #expect(processExitsWith: .failure) {
            let registry = Registry()
            _ = registry.counter("x_total", help: "X.")
            _ = registry.counter("x_total", help: "X.")
        }
    }

    @Test func `a counter without its suffix is a bug`() async {
        await #expect(processExitsWith: .failure) {
            let registry = Registry()
            _ = registry.counter("x", help: "X.")
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `the ledger adds up on every page under load`() async throws {
        let registry = Registry()
        let ledger = ReadingLedger()
        registry.add(ledger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    for count in 0..<3_000 {
                        ledger.enter { $0.received += count }
                        ledger.enter {
                            $0.stored += count / 2
                            $0.duplicates += count - count / 2
                        }
                    }
                }
            }
            group.addTask {
                for _ in 0..<300 {
                    let values = Self.values(registry.render())
                    let received = try #require(values["sluice_readings_received_total"])
                    let inFlight = try #require(values["sluice_readings_in_flight"])
                    let settled = values.filter { $0.key.hasPrefix("sluice_readings_total{") }
                    #expect(settled.count == 5)
                    #expect(received == inFlight + settled.values.reduce(0, +))
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(.enabled(if: promtool != nil, "promtool is part of Debian's package prometheus"))
    func `promtool accepts the page`() throws {
        let registry = Registry()
        registry.add(ReadingLedger())
        registry.add(ProcessFigures())
        _ = registry.counter(
            "sluice_odd_total", help: "A \\ and a \n.", labels: [MetricLabel("x", "\"\\\n")])
        registry.histogram(
            "sluice_wait_seconds", help: "Waiting.", unit: .seconds, bounds: Histogram.latencyBounds
        ).record(.milliseconds(3))
        registry.histogram(
            "sluice_group_batches", help: "Batches.", unit: .count, bounds: Histogram.sizeBounds
        ).record(3)

        let check = Process()
        check.executableURL = URL(fileURLWithPath: try #require(Self.promtool))
        check.arguments = ["check", "metrics"]
        let input = Pipe()
        let output = Pipe()
        check.standardInput = input
        check.standardOutput = output
        check.standardError = output
        try check.run()
        try input.fileHandleForWriting.write(contentsOf: Data(registry.render().utf8))
        try input.fileHandleForWriting.close()
        let said = String(
            decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        check.waitUntilExit()
        #expect(check.terminationStatus == 0, "\(said)")
        #expect(said.isEmpty)
    }

    static let promtool = ["/usr/bin/promtool", "/usr/local/bin/promtool"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Values by sample name with labels, for whole numbers.
    static func values(_ page: String) -> [String: Int] {
        var values: [String: Int] = [:]
        for line in page.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: " ")
            values[String(parts[0])] = Int(parts[1])
        }
        return values
    }
}
