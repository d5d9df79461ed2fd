/// The parts of the view that are a label and what there is to say, in one line where it fits.
extension TopView {
    /// One label with its facts, the most important first.
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

        /// As many lines as it takes; a fact is not broken.
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

    /// One line of each, and more where there is room.
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
            facts.add("\(Figure.rate(clients.refused))/s turned away", .bad)
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
