/// Formats a report as lines for a terminal of any size. 80 columns and 24 rows suffice for
/// everything except long lists.
public struct TopView: Sendable {
    let state: TopState
    let columns: Int

    /// - Parameter columns: maximum width of a line.
    public init(_ state: TopState, columns: Int) {
        self.state = state
        self.columns = max(1, columns)
    }

    /// At most `rows` lines.
    public func lines(rows: Int) -> [TerminalLine] {
        let rows = max(1, rows)
        var sections = [TopSection([header])]
        if let notice { sections.append(TopSection(notice)) }
        if let report = state.report {
            let body = self.sections(report)
            sections += body
        } else if state.link == .connecting {
            sections.append(TopSection([TerminalLine("Waiting for the first report …", .dim)]))
        }
        let isOld = state.link != .live && state.report != nil
        return TopSection.stack(sections, rows: rows).enumerated().map { place, line in
            let cut = line.cut(to: columns)
            let isBody = place > (notice?.count ?? 0)
            return isOld && isBody ? cut.inked(.dim) : cut
        }
    }

    // MARK: The top

    private var header: TerminalLine {
        var line = TerminalLine("sluice", .strong)
        guard let report = state.report else {
            line.add("  \(TerminalText.safe(state.url))", .dim)
            return line
        }
        line.add(" \(TerminalText.safe(report.version))")
        line.add("  \(TerminalText.safe(report.node))", .strong)
        line.add("  up \(Figure.span(report.uptimeSeconds))")
        line.add("  \(TerminalText.safe(report.at))", .dim)
        let right = state.hint
        let space = columns - line.width - TerminalText.width(right)
        if space >= 2, !right.isEmpty {
            line.add(String(repeating: " ", count: space) + right, .dim)
        }
        return line
    }

    /// The state of the connection, if it needs attention.
    private var notice: [TerminalLine]? {
        switch state.link {
        case .connecting: nil
        case .live:
            state.restartedSecondsAgo.map {
                [
                    TerminalLine(
                        "The server was restarted; reconnected \(Figure.span(Double($0))) ago.",
                        .warning)
                ]
            }
        case .lost(let seconds, let why):
            TerminalText.wrap(
                "No report for \(Figure.span(Double(seconds))): \(TerminalText.safe(why)). "
                    + "Retrying: \(TerminalText.safe(state.url))", to: columns
            ).map { TerminalLine($0, .bad) }
        }
    }

    private func sections(_ report: StatusReport) -> [TopSection] {
        let sentence = verdict(report.bottleneck)
        return [
            TopSection(least: min(sentence.count, 4), most: sentence.count) {
                Array(sentence.prefix($0))
            },
            TopSection(rates(report)),
            TopSection(latencies(report)),
            lanes(report.lanes),
            facts(report),
            slowest(report),
            stages(report.stages),
            reasons(report.quarantine),
            routes(report.routes),
            kinds(report.jobs),
        ]
    }

    private func verdict(_ bottleneck: Bottleneck) -> [TerminalLine] {
        let (word, ink): (String, TerminalLine.Ink) =
            switch bottleneck.level {
            case .ok: ("OK", .good)
            case .busy: ("BUSY", .warning)
            case .limit: ("LIMIT", .warning)
            case .trouble: ("TROUBLE", .bad)
            }
        let words = TerminalText.wrap(
            "\(word) \(TerminalText.safe(bottleneck.sentence))", to: columns)
        return words.enumerated().map { place, text in
            guard place == 0, text.hasPrefix(word) else { return TerminalLine(text) }
            var line = TerminalLine(word, ink)
            line.add(String(text.dropFirst(word.count)))
            return line
        }
    }
}

/// The parts of the view that are a label with facts, on one line if they fit.
extension TopView {
    /// A label with its facts, the most important first.
    struct Facts {
        private let label: String
        private var items: [(text: String, ink: TerminalLine.Ink)] = []

        static let labelWidth = 12

        init(_ label: String) {
            self.label = label
        }

        mutating func add(_ text: String, _ ink: TerminalLine.Ink = .plain) {
            items.append((text, ink))
        }

        /// As many lines as needed; a fact is never split.
        func lines(columns: Int) -> [TerminalLine] {
            var lines: [TerminalLine] = []
            var line = TerminalLine(TerminalText.pad(label, to: Self.labelWidth), .dim)
            var isFirst = true
            for item in items {
                let separator = isFirst ? "" : " · "
                let width = TerminalText.width(separator + item.text)
                if !isFirst, line.width + width > columns {
                    lines.append(line)
                    line = TerminalLine(String(repeating: " ", count: Self.labelWidth))
                } else {
                    line.add(separator, .dim)
                }
                line.add(item.text, item.ink)
                isFirst = false
            }
            return lines + [line]
        }
    }

    /// At least one line of each, more if there is room.
    func facts(_ report: StatusReport) -> TopSection {
        let all = [
            spool(report.spool), quarantine(report.quarantine), clients(report.connections),
            process(report.process), jobs(report.jobs),
        ].map { $0.lines(columns: columns) }
        let most = all.reduce(0) { $0 + $1.count }
        return TopSection(least: all.count, most: most) { rows in
            var more = max(0, rows - all.count)
            return all.flatMap { lines in
                let count = min(lines.count, 1 + more)
                more -= count - 1
                return Array(lines.prefix(count))
            }
        }
    }

    private func spool(_ spool: SpoolReport) -> Facts {
        var facts = Facts("spool")
        let ink: TerminalLine.Ink =
            switch spool.state {
            case .off: .dim
            case .empty: .good
            case .filling, .waiting, .draining: .warning
            case .full: .bad
            }
        facts.add(spool.state.rawValue, ink)
        if spool.bytesMax > 0 {
            facts.add(
                "\(Figure.percent(spool.bytes / spool.bytesMax)) of "
                    + Figure.bytes(spool.bytesMax))
        }
        if spool.waitingReadings > 0 {
            facts.add("\(Figure.number(spool.waitingReadings)) readings")
        }
        if spool.waitingUnits > 0 { facts.add("\(Figure.number(spool.waitingUnits)) units") }
        if let age = spool.oldestSeconds { facts.add("oldest \(Figure.span(age))") }
        if spool.written > 0 { facts.add("in \(Figure.rate(spool.written))/s") }
        if spool.replayed > 0 { facts.add("out \(Figure.rate(spool.replayed))/s") }
        if spool.failures > 0 { facts.add("\(Figure.number(spool.failures)) failures", .bad) }
        if spool.setAsideReadings > 0 {
            facts.add("\(Figure.number(spool.setAsideReadings)) unreadable", .bad)
        }
        return facts
    }

    private func quarantine(_ quarantine: StatusReport.Quarantined) -> Facts {
        var facts = Facts("quarantine")
        facts.add(
            "\(Figure.rate(quarantine.perSecond))/s",
            quarantine.perSecond > 0 ? .warning : .plain)
        facts.add("\(Figure.number(quarantine.total)) in all")
        for reason in quarantine.reasons.prefix(3) {
            facts.add(
                "\(TerminalText.safe(reason.reason)) \(Figure.number(reason.total))", .dim)
        }
        return facts
    }

    private func clients(_ clients: ConnectionFigures) -> Facts {
        var facts = Facts("clients")
        facts.add("\(Figure.number(clients.open)) of \(Figure.number(clients.max)) open")
        if clients.refused > 0 {
            facts.add("\(Figure.rate(clients.refused))/s refused", .bad)
        }
        facts.add(
            "in flight \(Figure.bytes(clients.inFlightBytes)) of "
                + Figure.bytes(clients.inFlightBytesMax))
        facts.add("\(Figure.number(clients.sockets)) sockets")
        facts.add("\(Figure.number(clients.uploads)) uploads")
        return facts
    }

    private func process(_ process: StatusReport.ProcessReport) -> Facts {
        var facts = Facts("process")
        facts.add("\(Figure.number(process.cpuCores)) cores")
        facts.add("event loops \(Figure.percent(process.loopBusyShare))")
        facts.add(Figure.bytes(process.residentBytes))
        if let cores = process.hostCores {
            let share = process.hostBusyShare.map(Figure.percent) ?? Figure.none
            facts.add("machine \(share) of \(Figure.number(cores)) cores")
        }
        return facts
    }

    private func jobs(_ jobs: StatusReport.JobReport) -> Facts {
        var facts = Facts("jobs")
        facts.add("\(Figure.number(jobs.running)) running")
        facts.add("\(Figure.number(jobs.waiting)) waiting")
        facts.add("\(Figure.number(jobs.dead)) dead", jobs.dead > 0 ? .bad : .plain)
        return facts
    }
}
