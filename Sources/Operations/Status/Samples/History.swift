import Foundation

/// The last hour of the figures that the status page plots, for whoever opens it.
///
/// - Memory: at most ``pointsMax`` points of one `Double` and nine `Float`, 31,680 bytes. One more
///   takes the place of the oldest.
struct History: Sendable {
    /// An hour, with one every five seconds. Each has the mean rates of that time.
    static let pointsMax = 720

    /// By the names that the page gives them.
    private static let series: [(name: String, of: @Sendable (StatusReport) -> Double?)] = [
        ("rates.stored", { $0.rates.stored }),
        ("rates.spooled", { $0.rates.spooled }),
        ("rates.duplicates", { $0.rates.duplicates }),
        ("rates.quarantined", { $0.rates.quarantined }),
        ("latency.acknowledgement.last.p50", { $0.latency.acknowledgement.last.p50 }),
        ("latency.acknowledgement.last.p99", { $0.latency.acknowledgement.last.p99 }),
        ("busy.lanes", { report in report.stages.first { $0.name == .lanes }?.busyShare }),
        ("process.loop_busy_share", { $0.process.loopBusyShare }),
        ("process.host_busy_share", { $0.process.hostBusyShare }),
    ]

    /// By the uptime of the process, rising.
    private var seconds: [Double] = []
    /// Point after point, in the order of ``series``. What is unknown is no number.
    private var values: [Float] = []

    var count: Int { seconds.count }

    /// - Parameter report: of the time since the last one.
    mutating func append(_ report: StatusReport) {
        if count == Self.pointsMax {
            seconds.removeFirst()
            values.removeFirst(Self.series.count)
        }
        seconds.append(report.uptimeSeconds)
        values += Self.series.map { Float($0.of(report) ?? .nan) }
    }

    /// One line: how old each point is, in seconds, the oldest first; and for each series a value, or
    /// null, a point. The page's clock may be wrong, so no time of day is told.
    ///
    /// - Returns: nil while there is no point.
    func json(uptimeSeconds now: Double) -> String? {
        guard count > 0 else { return nil }
        let columns = Self.series.enumerated().map { place, series in
            let column = stride(from: place, to: values.count, by: Self.series.count)
                .map { values[$0].isFinite ? values[$0] : nil }
            return (series.name, column)
        }
        let text = Text(
            ages: seconds.map { (max(0, now - $0) * 10).rounded() / 10 },
            values: Dictionary(uniqueKeysWithValues: columns))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(text) else {
            preconditionFailure("BUG: a history with a number that is none")
        }
        return String(decoding: data, as: UTF8.self)
    }

    private struct Text: Encodable {
        let ages: [Double]
        let values: [String: [Float?]]
    }
}
