public import ArgumentParser

/// A limit that a run must keep, such as `p99<50ms`, `failed<0.1%` or `rate>=1000`.
///
/// Latencies are those of 2xx answers, corrected for coordinated omission in an open loop. Without
/// any 2xx answer, every limit on latencies is crossed.
public struct Threshold: ExpressibleByArgument, Sendable, Equatable {
    enum Metric: Equatable, Sendable {
        case percentile(Double)
        case min
        case mean
        /// Share of the requests that were refused or got no answer.
        case failed
        /// Requests without an answer.
        case lost
        /// Requests of an open loop that were never sent.
        case dropped
        /// Answered requests per second.
        case rate
        /// Acknowledged readings per second.
        case readings
    }

    enum Comparison: String, CaseIterable, Sendable {
        // In this order, so that the longer operator is found first.
        case atMost = "<="
        case atLeast = ">="
        case below = "<"
        case above = ">"

        func holds(_ left: Double, _ right: Double) -> Bool {
            switch self {
            case .atMost: left <= right
            case .atLeast: left >= right
            case .below: left < right
            case .above: left > right
            }
        }
    }

    /// The threshold as written, without spaces.
    public let text: String
    let metric: Metric
    let comparison: Comparison
    /// Milliseconds, a share, a count, or a rate per second.
    let limit: Double

    /// Nil for an invalid text.
    public init?(argument: String) {
        text = argument.filter { $0 != " " }
        let text = text
        guard let comparison = Comparison.allCases.first(where: { text.contains($0.rawValue) }),
            let range = text.firstRange(of: comparison.rawValue),
            let metric = Self.metric(text[..<range.lowerBound]),
            let limit = Self.limit(text[range.upperBound...], of: metric)
        else { return nil }
        (self.metric, self.comparison, self.limit) = (metric, comparison, limit)
    }

    private static func metric(_ name: Substring) -> Metric? {
        switch name {
        case "min": .min
        case "mean", "avg": .mean
        case "median": .percentile(50)
        case "max": .percentile(100)
        case "failed": .failed
        case "lost": .lost
        case "dropped": .dropped
        case "rate": .rate
        case "readings": .readings
        default:
            // p99 and p99.9 are valid; p999 is not, because it could mean either.
            name.first == "p"
                ? TimeSpan.number(name.dropFirst()).flatMap { $0 <= 100 ? .percentile($0) : nil }
                : nil
        }
    }

    private static func limit(_ text: Substring, of metric: Metric) -> Double? {
        switch metric {
        case .percentile, .min, .mean:
            // A bare number is in milliseconds, as in the report.
            TimeSpan.number(text) ?? TimeSpan(argument: String(text)).map { $0.seconds * 1e3 }
        case .failed:
            text.last == "%"
                ? TimeSpan.number(text.dropLast()).map { $0 / 100 } : TimeSpan.number(text)
        case .lost, .dropped: TimeSpan.number(text)
        case .rate, .readings: TimeSpan.number(text.hasSuffix("/s") ? text.dropLast(2) : text)
        }
    }

    /// Compares a run with the limit.
    func verdict(on report: LoadReport, _ result: LoadResult) -> LoadResult.Verdict {
        let isMeasured = report.accepted.totalCount > 0
        let actual: Double? =
            switch metric {
            case .percentile(let percentile):
                isMeasured ? milliseconds(report.accepted, at: percentile) : nil
            case .min: isMeasured ? Double(report.accepted.min) / 1e6 : nil
            case .mean: isMeasured ? report.accepted.mean / 1e6 : nil
            case .failed: result.requests.failedShare
            case .lost: Double(result.requests.lost)
            case .dropped: Double(result.requests.dropped)
            case .rate: result.requests.perSecond
            case .readings: result.readings.perSecond
            }
        return LoadResult.Verdict(
            threshold: text, actual: actual,
            actualText: actual.map(text(of:)) ?? "nothing measured",
            holds: actual.map { comparison.holds($0, limit) } ?? false)
    }

    private func text(of value: Double) -> String {
        switch metric {
        case .percentile, .min, .mean: Figures.milliseconds(value)
        case .failed: Figures.share(value)
        case .lost, .dropped: Figures.short(value)
        case .rate, .readings: Figures.short(value) + "/s"
        }
    }
}
