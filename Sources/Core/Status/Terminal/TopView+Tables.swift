/// The parts of the view that are tables.
extension TopView {
    /// A cell of a row: its text, width, alignment and ink.
    struct Cell {
        let text: String
        let width: Int
        var right = true
        var ink = TerminalLine.Ink.plain
    }

    /// A right-aligned cell always keeps a space before it, however long its text is.
    static func row(_ cells: [Cell]) -> TerminalLine {
        var line = TerminalLine()
        for (place, cell) in cells.enumerated() {
            let gap = cell.right && place > 0 && cell.width > 0 ? 1 : 0
            let text = TerminalText.pad(cell.text, to: cell.width - gap, right: cell.right)
            line.add(String(repeating: " ", count: gap) + text, cell.ink)
        }
        return line
    }

    // MARK: Rates

    func rates(_ report: StatusReport) -> [TerminalLine] {
        let (rates, groups) = (report.rates, report.groups)
        typealias Field = (label: String, value: String, ink: TerminalLine.Ink)
        func rate(_ label: String, _ value: Double, bad: Bool = false) -> Field {
            (label, Figure.rate(value), bad && value > 0 ? .warning : .strong)
        }
        func mean(_ label: String, _ value: Double?) -> Field {
            (label, value.map(Figure.number) ?? Figure.none, .strong)
        }
        let fields: [Field] = [
            rate("requests/s", rates.requests), rate("readings/s", rates.readings),
            rate("stored/s", rates.stored), rate("commits/s", rates.commits),
            rate("refused/s", rates.requestsRefused, bad: true),
            ("received/s", Figure.bytes(rates.receivedBytes), .strong),
            rate("duplic./s", rates.duplicates), mean("batches/com", groups.batchesMean),
            rate("units/s", rates.units), rate("spooled/s", rates.spooled, bad: true),
            rate("quarant./s", rates.quarantined, bad: true),
            mean("reading/com", groups.readingsMean),
        ]
        let width = 20
        let perLine = max(1, min(4, columns / width))
        return stride(from: 0, to: fields.count, by: perLine).map { start in
            Self.row(
                fields[start..<min(start + perLine, fields.count)].flatMap { field in
                    [
                        Cell(text: field.label, width: 11, right: false, ink: .dim),
                        Cell(text: field.value, width: 8, ink: field.ink),
                        Cell(text: "", width: 1),
                    ]
                })
        }
    }

    // MARK: Latencies

    func latencies(_ report: StatusReport) -> [TerminalLine] {
        let head = Self.row(
            [Cell(text: "latency", width: Facts.labelWidth, right: false, ink: .dim)]
                + ["p50", "p90", "p99", "mean"].map { Cell(text: $0, width: 10, ink: .dim) }
                + ["60 s p50", "60 s p99"].map { Cell(text: $0, width: 13, ink: .dim) })
        var rows: [(String, Latency.Spans)] = [
            ("answer", report.latency.acknowledgement), ("queue wait", report.latency.queueWait),
            ("commit", report.latency.commit),
        ]
        if report.spool.state != .off { rows.append(("spool sync", report.latency.spoolSync)) }
        return [head]
            + rows.map { name, spans in
                let last = [spans.last.p50, spans.last.p90, spans.last.p99, spans.last.mean]
                let minute = [spans.minute.p50, spans.minute.p99]
                return Self.row(
                    [Cell(text: name, width: Facts.labelWidth, right: false, ink: .dim)]
                        + last.map { Cell(text: Figure.time($0), width: 10) }
                        + minute.map { Cell(text: Figure.time($0), width: 13) })
            }
    }

    // MARK: Lanes

    func lanes(_ lanes: [LaneReport]) -> TopSection {
        guard !lanes.isEmpty else { return TopSection([]) }
        let widths = [4, 7, 6, 8, 8, 8, 8, 6, 6, 6, 6, 7]
        let heads = [
            "lane", "queued", "full", "batch/s", "group/s", "wait", "service", "busy", "claim",
            "sift", "copy", "commit",
        ]
        let head = Self.row(
            zip(heads, widths).enumerated().map { place, head in
                Cell(
                    text: head.0, width: head.1, right: place > 0, ink: .dim
                )
            })
        func line(_ name: String, _ lanes: [LaneReport]) -> TerminalLine {
            let count = Double(max(1, lanes.count))
            func mean(_ field: (LaneReport) -> Double) -> Double {
                lanes.reduce(0) { $0 + field($1) } / count
            }
            func slowest(_ field: (LaneReport) -> Double?) -> Double? {
                lanes.compactMap(field).max()
            }
            let full = mean { $0.waitingBytesMax > 0 ? $0.waitingBytes / $0.waitingBytesMax : 0 }
            let busy = mean { $0.busyShare }
            let texts = [
                name, Figure.number(lanes.reduce(0) { $0 + $1.waitingBatches }),
                Figure.percent(full), Figure.rate(lanes.reduce(0) { $0 + $1.batches }),
                Figure.rate(lanes.reduce(0) { $0 + $1.groups }),
                Figure.time(slowest { $0.queueWaitSeconds }),
                Figure.time(slowest { $0.serviceSeconds }), Figure.percent(busy),
                Figure.percent(mean { $0.claimShare }), Figure.percent(mean { $0.siftShare }),
                Figure.percent(mean { $0.copyShare }), Figure.percent(mean { $0.commitShare }),
            ]
            let isDown = lanes.contains { !$0.up }
            return Self.row(
                zip(texts, widths).enumerated().map { place, cell in
                    Cell(
                        text: cell.0, width: cell.1, right: place > 0,
                        ink: place == 0 && isDown
                            ? .bad : place == 7 && busy >= Bottleneck.fullShare ? .warning : .plain)
                })
        }
        return TopSection(least: min(lanes.count, 2) + 1, most: lanes.count + 1) { rows in
            let room = rows - 1
            guard lanes.count > room else {
                return [head] + lanes.map { line("\($0.lane)" + ($0.up ? "" : " !"), [$0]) }
            }
            // The busiest lanes, and the others combined in one line.
            let sorted = lanes.sorted { ($0.busyShare, $1.lane) > ($1.busyShare, $0.lane) }
            let (shown, others) = (
                sorted.prefix(max(0, room - 1)), sorted.dropFirst(max(0, room - 1))
            )
            return [head] + shown.map { line("\($0.lane)" + ($0.up ? "" : " !"), [$0]) }
                + [line("+\(others.count)", Array(others))]
        }
    }

    // MARK: Lists

    func slowest(_ report: StatusReport) -> TopSection {
        let devices = report.slowestDevices
        guard !devices.isEmpty else {
            return TopSection([
                TerminalLine("slowest devices: none in the last ten seconds", .dim)
            ])
        }
        let head = TerminalLine("slowest devices, last 10 to 20 s", .dim)
        return TopSection(least: 2, most: devices.count + 1) { rows in
            [head]
                + devices.prefix(rows - 1).map { device in
                    let idWidth = max(1, columns - 34)
                    return Self.row([
                        Cell(text: Figure.time(device.seconds), width: 10, ink: .strong),
                        Cell(
                            text: "  " + TerminalText.safe(device.deviceID), width: idWidth,
                            right: false),
                        Cell(
                            text: "  " + TerminalText.safe(device.at), width: 24, right: false,
                            ink: .dim),
                    ])
                }
        }
    }

    /// The stages of a batch, as Little's law gives them.
    func stages(_ stages: [StageLoad]) -> TopSection {
        let widths = [12, 14, 14, 14, 10, 10]
        func row(_ texts: [String], _ ink: TerminalLine.Ink) -> TerminalLine {
            Self.row(
                zip(texts, widths).enumerated().map { place, cell in
                    Cell(
                        text: cell.0, width: cell.1, right: place > 0,
                        ink: place == 0 ? .dim : ink)
                })
        }
        let lines =
            [row(["stage", "in progress", "batches/s", "time each", "servers", "busy"], .dim)]
            + stages.map { stage in
                row(
                    [
                        stage.name.rawValue, Figure.number(stage.count),
                        Figure.rate(stage.perSecond), Figure.time(stage.seconds),
                        stage.servers > 0 ? Figure.number(stage.servers) : Figure.none,
                        stage.busyShare.map(Figure.percent) ?? Figure.none,
                    ], .plain)
            }
        return TopSection(least: 0, most: lines.count) { $0 < 3 ? [] : Array(lines.prefix($0)) }
    }

    func reasons(_ quarantine: StatusReport.Quarantined) -> TopSection {
        list(
            ["quarantine by reason", "per second", "in all"],
            quarantine.reasons.map {
                [$0.reason, Figure.rate($0.perSecond), Figure.number($0.total)]
            })
    }

    func routes(_ routes: [StatusReport.RouteReport]) -> TopSection {
        list(
            ["other routes", "per second", "failures/s"],
            routes.map {
                [$0.route, Figure.rate($0.requests), Figure.rate($0.failures)]
            })
    }

    func kinds(_ jobs: StatusReport.JobReport) -> TopSection {
        list(
            ["jobs by kind", "per second", "time each"],
            jobs.kinds.map {
                [$0.kind, Figure.rate($0.runs), Figure.time($0.seconds)]
            })
    }

    private func list(_ heads: [String], _ rows: [[String]]) -> TopSection {
        guard !rows.isEmpty else { return TopSection([]) }
        func row(_ texts: [String], _ ink: TerminalLine.Ink) -> TerminalLine {
            Self.row([
                Cell(text: TerminalText.safe(texts[0]), width: 36, right: false, ink: ink),
                Cell(text: texts[1], width: 12, ink: ink),
                Cell(text: texts[2], width: 14, ink: ink),
            ])
        }
        return TopSection(least: 0, most: rows.count + 1) { count in
            count < 2 ? [] : [row(heads, .dim)] + rows.prefix(count - 1).map { row($0, .plain) }
        }
    }
}
