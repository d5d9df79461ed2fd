import Foundation

/// The state of a run on standard error: a bar on a terminal, otherwise a line every five seconds.
public final class ProgressLine {
    private let durationNanoseconds: UInt64
    private let readings: Int?
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var lastLine: UInt64 = 0
    private var last: (elapsed: UInt64, answers: Int, readings: Int) = (0, 0, 0)

    private static let barCells = 20
    private static let lineNanoseconds: UInt64 = 5_000_000_000

    /// - Parameters:
    ///   - durationNanoseconds: the longest duration of the run.
    ///   - readings: the count of readings that ends the run; nil: none.
    public init(durationNanoseconds: UInt64, readings: Int?) {
        self.durationNanoseconds = durationNanoseconds
        self.readings = readings
    }

    /// - Parameters:
    ///   - elapsed: nanoseconds since the start.
    ///   - report: the current report.
    ///   - done: acknowledged readings.
    public func update(elapsed: UInt64, report: LoadReport, readings done: Int) {
        guard isTerminal || elapsed >= lastLine + Self.lineNanoseconds else { return }
        let answers = report.answers
        let seconds = Double(elapsed - min(elapsed, last.elapsed)) * 1e-9
        let requestRate = seconds > 0 ? Double(answers - last.answers) / seconds : 0
        let readingRate = seconds > 0 ? Double(done - last.readings) / seconds : 0
        last = (elapsed, answers, done)
        lastLine = elapsed
        let byCount = readings.map { Double(done) / Double(max(1, $0)) } ?? 0
        let part = min(1, max(byCount, Double(elapsed) / Double(max(1, durationNanoseconds))))
        let others = answers - report.acceptedCount + report.lost
        let latency = Double(report.series.stretches.last?.p99 ?? 0) / 1e6
        let text =
            String(
                format: "%5.1f s  %@ requests/s  %@ readings/s", Double(elapsed) * 1e-9,
                Figures.short(requestRate), Figures.short(readingRate))
            + (latency > 0 ? "  p99 " + Figures.milliseconds(latency) : "")
            + (others > 0 ? "  \(others) not 2xx" : "")
        guard isTerminal else { return write(text + "\n") }
        let filled = Int(part * Double(Self.barCells))
        let bar =
            String(repeating: "█", count: filled)
            + String(repeating: "░", count: Self.barCells - filled)
        write("\r\(bar) \(String(format: "%3.0f", part * 100)) %  \(text)\u{1B}[K")
    }

    /// Removes the bar.
    public func finish() {
        if isTerminal { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
