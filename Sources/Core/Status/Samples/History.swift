import Foundation

/// The last hour of the figures that the status page plots.
///
/// - Memory: at most ``pointsMax`` points of one `Double` and nine `Float`, 31,680 bytes. A further
///   point replaces the oldest.
struct History: Sendable {
    /// An hour with one point every five seconds. Each point has the mean rates of its interval.
    static let pointsMax = 720

    /// The names are those that the page uses.
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

    /// Uptime of the process at each point, ascending.
    private var seconds: [Double] = []
    /// Point by point, in the order of ``series``. NaN stands for an unknown value.
    private var values: [Float] = []

    var count: Int { seconds.count }

    /// - Parameter report: covers the time since the previous point.
    mutating func append(_ report: StatusReport) {
        if count == Self.pointsMax {
            seconds.removeFirst()
            values.removeFirst(Self.series.count)
        }
        seconds.append(report.uptimeSeconds)
        values += Self.series.map { Float($0.of(report) ?? .nan) }
    }

    /// One line of JSON: the age of each point in seconds, the oldest first; and for each series
    /// one value or null per point. It contains no time of day, because the page's clock may be
    /// wrong.
    ///
    /// - Returns: nil if there are no points.
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
