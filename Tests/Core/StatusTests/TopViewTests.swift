import Instruments
import Testing

@testable import Status

@Suite struct TopViewTests {
    /// A report with every figure, busy and with faults.
    private static func full(lanes: Int = 2) -> StatusReport {
        var situation = Situation()
        situation.now.lanes = (0..<lanes).map { LaneSample(lane: $0) }
        situation.earlier.lanes = situation.now.lanes
        situation.load(batches: 5000, wait: 0.041, service: 0.006, busy: 0.97)
        situation.cores(loops: 0.3, machine: 0.99, process: 0.8)
        situation.now.quarantine = [
            "lat_out_of_range": 17, "type_unknown": 3, "metadata_number_out_of_range": 1,
        ]
        situation.now.totals.quarantined = 21
        situation.now.spool?.bytes = 300e6
        situation.now.spool?.written = 1000
        situation.now.spool?.replayed = 400
        situation.now.spool?.waitingReadings = 600
        situation.now.spool?.oldestUnixSeconds = situation.now.unixSeconds - 12
        situation.now.spool?.setAsideReadings = 2
        situation.earlier.spool?.failures = 1
        situation.now.spool?.failures = 1
        situation.now.slowest = (0..<10).map {
            SlowestDevices.Entry(
                deviceID: "watch-\($0)", nanoseconds: 1_000_000_000 - Int64($0) * 1_000_000,
                unixSeconds: situation.now.unixSeconds)
        }
        var route = RouteSample()
        route.requests = 12
        situation.now.routes["/upload"] = route
        situation.now.jobs.running = 1
        situation.now.jobs.kinds["capture.analyse"] = JobSample.Kind()
        return situation.report
    }

    private static func lines(
        _ report: StatusReport?, _ link: TopState.Link = .live, columns: Int, rows: Int
    ) -> [TerminalLine] {
        var state = TopState(url: "http://127.0.0.1:8080")
        state.link = link
        state.report = report
        state.hint = "q quits"
        return TopView(state, columns: columns).lines(rows: rows)
    }

    @Test func `a terminal of 80 columns and 24 rows shows every figure`() {
        let lines = Self.lines(Self.full(), columns: 80, rows: 24)
        #expect(lines.count <= 24)
        let text = lines.map(\.text).joined(separator: "\n")
        for part in [
            "sluice 1.2.3", "node", "up 16 min 41 s", "q quits", "LIMIT",
            "cores are the bottleneck",
            "requests/s", "5.00 k", "readings/s", "500 k", "commits/s", "received/s", "45.0 MB",
            "batches/com", "refused/s", "quarant./s", "latency", "p99", "60 s p99", "answer",
            "queue wait", "commit", "spool sync", "lane", "queued", "97 %", "spool", "filling",
            "30 % of 1.00 GB", "600 readings", "oldest 12 s", "1 failures", "2 unreadable",
            "quarantine", "21 in all",
            "lat_out_of_range 17", "0 of 10.0 k open", "0 sockets", "in flight 0 B of 256 MB",
            "process", "0.80 cores",
            "event loops 30 %", "machine 99 %", "jobs", "1 running", "slowest devices", "watch-0",
            "1.00 s",
        ] {
            #expect(text.contains(part), "\(part) in\n\(text)")
        }
    }

    @Test(arguments: [0, 0.004, 0.0951, 0.5, 1, 9, 99.4, 123.4, 99_949, 1e6, 1e9, 1e17, 1e300])
    func `columns stay separated whatever the numbers are`(value: Double) throws {
        var report = Self.full()
        for lane in report.lanes.indices {
            report.lanes[lane].waitingBatches = value
            report.lanes[lane].waitingBytes = value
            report.lanes[lane].batches = value
            report.lanes[lane].groups = value
            report.lanes[lane].queueWaitSeconds = value
            report.lanes[lane].serviceSeconds = value / 1000
            report.lanes[lane].up = lane == 0
            for share in [
                \LaneReport.busyShare, \.claimShare, \.siftShare, \.copyShare, \.commitShare,
            ] { report.lanes[lane][keyPath: share] = min(1, value) }
        }
        report.rates.requests = value
        report.rates.receivedBytes = value
        report.rates.stored = value
        report.rates.commits = value
        let lines = Self.lines(report, columns: 80, rows: 60).map(\.text)
        let head = try #require(lines.firstIndex { $0.hasPrefix("lane") })
        // Positions of the spaces between the columns of the lanes.
        let ends = [4, 11, 17, 25, 33, 41, 49, 55, 61, 67, 73]
        for line in lines[head..<head + 3] {
            for end in ends { #expect(Array(line)[end] == " ", "\(end) in \(line)") }
            #expect(line.count == 80)
        }
        let rates = try #require(lines.firstIndex { $0.hasPrefix("requests/s") })
        for line in lines[rates..<rates + 3] {
            for start in stride(from: 11, to: line.count, by: 20) {
                #expect(Array(line)[start] == " ", "\(start) in \(line)")
            }
            for start in stride(from: 19, to: line.count, by: 20) {
                #expect(Array(line)[start] == " ", "\(start) in \(line)")
            }
        }
    }

    @Test func `no line is wider and no view is longer than the terminal`() {
        var many = Self.full(lanes: 40)
        many.node = String(repeating: "很", count: 200)
        many.bottleneck.sentence =
            String(repeating: "word ", count: 200) + String(repeating: "x", count: 500)
        for report in [nil, Self.full(), Situation().report, many, Self.full(lanes: 0)] {
            for link in [.live, .connecting, .lost(secondsAgo: 3, why: "nobody answers")]
                as [TopState.Link]
            {
                for columns in [1, 2, 10, 39, 40, 79, 80, 81, 132, 300] {
                    for rows in [1, 2, 3, 5, 10, 23, 24, 25, 50, 200] {
                        let lines = Self.lines(report, link, columns: columns, rows: rows)
                        #expect(lines.count <= rows && !lines.isEmpty)
                        let widest = lines.map(\.width).max() ?? 0
                        #expect(widest <= columns, "\(columns)×\(rows)")
                    }
                }
            }
        }
    }

    @Test
    func `if there are too many lanes the busiest are shown, and the others in one line`() {
        var report = Self.full(lanes: 12)
        for place in report.lanes.indices { report.lanes[place].busyShare = Double(place) / 12 }
        let text = Self.lines(report, columns: 80, rows: 25).map(\.text).joined(separator: "\n")
        #expect(text.contains("\n11   "), "\(text)")
        #expect(text.contains("\n+"), "\(text)")
        let all = Self.lines(report, columns: 80, rows: 60).map(\.text).joined(separator: "\n")
        for lane in 0..<12 { #expect(all.contains("\n\(lane) "), "\(all)") }
    }

    @Test func `with enough rows, stages, reasons, routes and jobs are shown`() {
        let text = Self.lines(Self.full(), columns: 100, rows: 70).map(\.text)
            .joined(separator: "\n")
        for part in [
            "in progress", "205", "quarantine by reason", "metadata_number_out_of_range",
            "other routes", "/upload", "jobs by kind", "capture.analyse", "watch-9",
        ] {
            #expect(text.contains(part), "\(part) in\n\(text)")
        }
    }

    @Test func `NaN, infinity and enormous numbers do no harm`() {
        var report = Self.full()
        report.rates.readings = .infinity
        report.rates.stored = .nan
        report.uptimeSeconds = -.infinity
        report.process.cpuCores = 1e300
        report.lanes[0].serviceSeconds = .nan
        report.lanes[0].busyShare = 1e9
        report.spool.bytesMax = 0
        let lines = Self.lines(report, columns: 80, rows: 24)
        #expect(lines.allSatisfy { $0.width <= 80 })
    }

    @Test func `a device's name can't control the terminal`() {
        var report = Self.full()
        report.slowestDevices[0].deviceID = "\u{1B}[2J\u{7}\r\n\u{202E}evil\u{9B}31m"
        report.node = "a\u{1B}]0;title\u{7}"
        let screen = Screen(columns: 80, rows: 24, hasColor: false, hasUnicode: true)
        let lines = Self.lines(report, columns: 80, rows: 24)
        #expect(lines.contains { $0.text.contains("?[2J????evil?31m") })
        for line in lines {
            let bare = screen.render(line)
            #expect(
                bare.unicodeScalars.allSatisfy {
                    $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0.value != 0x202E
                })
        }
    }

    @Test func `without a connection the last report stays, with the time since then`() {
        let lost = Self.lines(
            Self.full(), .lost(secondsAgo: 65, why: "nobody answers"), columns: 80, rows: 30)
        let text = lost.map(\.text).joined(separator: "\n")
        #expect(text.contains("No report for 1 min 5 s: nobody answers. Retrying"))
        #expect(text.contains("requests/s"))
        let early = Self.lines(
            nil, .lost(secondsAgo: 1, why: "nobody answers"), columns: 80, rows: 24)
        #expect(early.map(\.text).joined().contains("nobody answers"))
        #expect(Self.lines(nil, .connecting, columns: 80, rows: 24).count > 1)
    }

    @Test func `a restart is reported`() {
        var state = TopState(url: "http://127.0.0.1:8080")
        state.link = .live
        state.report = Self.full()
        state.restartedSecondsAgo = 4
        let text = TopView(state, columns: 80).lines(rows: 30).map(\.text).joined(separator: "\n")
        #expect(text.contains("The server was restarted; reconnected 4 s ago."))
    }
}
