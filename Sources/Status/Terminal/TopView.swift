/// A report as lines for a terminal of any size; 80 columns and 24 rows show everything but lists
/// that are longer than that.
public struct TopView: Sendable {
    let state: TopState
    let columns: Int

    /// - Parameter columns: no line is wider.
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

    /// What is to be known of the connection; nil while all is well.
    private var notice: [TerminalLine]? {
        switch state.link {
        case .connecting: nil
        case .live:
            state.restartedSecondsAgo.map {
                [
                    TerminalLine(
                        "The server was started anew; connected again \(Figure.span(Double($0))) ago.",
                        .warning)
                ]
            }
        case .lost(let seconds, let why):
            TerminalText.wrap(
                "No report for \(Figure.span(Double(seconds))): \(TerminalText.safe(why)). Trying "
                    + "again: \(TerminalText.safe(state.url))", to: columns
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
