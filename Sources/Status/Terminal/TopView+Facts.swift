/// The parts of the view that are one line each.
extension TopView {
    func spool(_ spool: SpoolReport) -> TerminalLine {
        var line = Self.labelled("spool")
        let ink: TerminalLine.Ink =
            switch spool.state {
            case .off: .dim
            case .empty: .good
            case .filling, .waiting, .draining: .warning
            case .full: .bad
            }
        line.add(spool.state.rawValue, ink)
        if spool.failures > 0 {
            line.add(" · \(Figure.number(spool.failures)) failures", .bad)
        }
        if spool.setAsideReadings > 0 {
            line.add(" · \(Figure.number(spool.setAsideReadings)) unreadable", .bad)
        }
        if spool.bytesMax > 0 {
            line.add(
                " · \(Figure.percent(spool.bytes / spool.bytesMax)) of "
                    + Figure.bytes(spool.bytesMax))
        }
        if spool.waitingReadings > 0 {
            line.add(" · \(Figure.number(spool.waitingReadings)) readings")
        }
        if spool.waitingUnits > 0 { line.add(" · \(Figure.number(spool.waitingUnits)) units") }
        if let age = spool.oldestSeconds { line.add(" · oldest \(Figure.span(age))") }
        if spool.written > 0 { line.add(" · in \(Figure.rate(spool.written))/s") }
        if spool.replayed > 0 { line.add(" · out \(Figure.rate(spool.replayed))/s") }
        return line
    }

    func quarantine(_ quarantine: StatusReport.Quarantined) -> TerminalLine {
        var line = Self.labelled("quarantine")
        line.add(
            "\(Figure.rate(quarantine.perSecond))/s",
            quarantine.perSecond > 0 ? .warning : .plain)
        line.add(" · \(Figure.number(quarantine.total)) in all")
        for reason in quarantine.reasons {
            line.add(" · \(TerminalText.safe(reason.reason)) \(Figure.number(reason.total))", .dim)
        }
        return line
    }

    func clients(_ clients: ConnectionFigures) -> TerminalLine {
        var line = Self.labelled("clients")
        if clients.refused > 0 {
            line.add("\(Figure.rate(clients.refused))/s turned away", .bad)
            line.add(" · ")
        }
        line.add("\(Figure.number(clients.open)) of \(Figure.number(clients.max)) open")
        line.add(
            " · in flight \(Figure.bytes(clients.inFlightBytes)) of "
                + Figure.bytes(clients.inFlightBytesMax))
        line.add(" · \(Figure.number(clients.sockets)) sockets")
        line.add(" · \(Figure.number(clients.uploads)) uploads")
        return line
    }

    func process(_ report: StatusReport) -> TerminalLine {
        let process = report.process
        var line = Self.labelled("process")
        line.add("\(Figure.number(process.cpuCores)) cores")
        line.add(" · event loops \(Figure.percent(process.loopBusyShare))")
        line.add(" · \(Figure.bytes(process.residentBytes))")
        if let cores = process.hostCores {
            let share = process.hostBusyShare.map(Figure.percent) ?? Figure.none
            line.add(" · machine \(share) of \(Figure.number(cores)) cores")
        }
        return line
    }

    func jobs(_ jobs: StatusReport.JobReport) -> TerminalLine {
        var line = Self.labelled("jobs")
        line.add("\(Figure.number(jobs.running)) running · \(Figure.number(jobs.waiting)) waiting")
        line.add(" · \(Figure.number(jobs.dead)) dead", jobs.dead > 0 ? .bad : .plain)
        return line
    }
}
