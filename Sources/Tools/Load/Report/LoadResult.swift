import Fleet
import Foundation

/// The result of a run, as `--json` writes it; the table and the report are made from it. Times are
/// in milliseconds unless their names say otherwise.
public struct LoadResult: Codable, Sendable, Equatable {
    /// The options of the run.
    struct Configuration: Codable, Sendable, Equatable {
        struct Step: Codable, Sendable, Equatable {
            var seconds: Double
            var requestsPerSecond: Double
        }

        /// `open loop` or `closed loop`.
        var mode: String
        var connections: Int
        var outstanding: Int
        /// The rate at the start; nil in a closed loop.
        var requestsPerSecond: Double?
        var stages: [Step]?
        var arrival: String?
        var durationSeconds: Double
        var timeoutSeconds: Double
        var devices: Int
        var batch: Int
        var seed: UInt64
        /// The format of the bodies, or the file; nil: batches of `/ingest`.
        var bodies: String?
    }

    struct Requests: Codable, Sendable, Equatable {
        var answered: Int
        /// 2xx answers.
        var succeeded: Int
        /// 400 and 422 answers to batches that were malformed on purpose.
        var refusedAsExpected: Int
        /// Requests without an answer: the connection broke, or the timeout passed.
        var lost: Int
        /// Other answers, and lost requests. A request that is sent again counts each time.
        var failed: Int
        /// The failed share of all requests that were answered or lost.
        var failedShare: Double
        /// Sent again.
        var retried: Int
        /// Requests of an open loop that were due but not sent when the run ended.
        var dropped: Int
        /// Answered requests.
        var perSecond: Double
    }

    struct Readings: Codable, Sendable, Equatable {
        var sent: Int
        /// Acknowledged by a 200 or a 202.
        var acknowledged: Int
        var stored: Int
        var duplicates: Int
        var quarantined: Int
        /// Acknowledged by a 202: they are on the server's disk.
        var spooled: Int
        /// Acknowledged by an answer that does not say what became of them; nil: 0.
        var uncounted: Int?
        /// Acknowledged readings.
        var perSecond: Double
    }

    struct Latency: Codable, Sendable, Equatable {
        var count: Int
        var min, mean, p50, p90, p95, p99, p999, max: Double

        init?(_ histogram: LatencyHistogram) {
            guard histogram.totalCount > 0 else { return nil }
            count = histogram.totalCount
            min = Double(histogram.min) / 1e6
            mean = histogram.mean / 1e6
            p50 = milliseconds(histogram, at: 50)
            p90 = milliseconds(histogram, at: 90)
            p95 = milliseconds(histogram, at: 95)
            p99 = milliseconds(histogram, at: 99)
            p999 = milliseconds(histogram, at: 99.9)
            max = Double(histogram.max) / 1e6
        }
    }

    struct TargetResult: Codable, Sendable, Equatable {
        var url: String
        var statuses: [String: Int]
        var lost: Int
        var latency: Latency?
    }

    struct Connections: Codable, Sendable, Equatable {
        var opened: Int
        var refused: Int
        var answersNotHTTP: Int

        private enum CodingKeys: String, CodingKey {
            case opened, refused
            // The spelling that decoding from snake case gives.
            case answersNotHTTP = "answersNotHttp"
        }
    }

    /// An interval of the run.
    struct Stretch: Codable, Sendable, Equatable {
        var second: Double
        /// The requested rate, in an open loop.
        var plannedPerSecond: Double?
        var sent, succeeded, refused, lost: Int
        var p50, p90, p99, max: Double
    }

    /// A bar of the histogram.
    struct Bar: Codable, Sendable, Equatable {
        var from, to: Double
        var count: Int
    }

    struct Verdict: Codable, Sendable, Equatable {
        var threshold: String
        /// Milliseconds, a share, a count or a rate; nil if nothing was measured.
        var actual: Double?
        var actualText: String
        var holds: Bool
    }

    /// The version of this form; other versions may have other names.
    var form = Self.formOfNow
    var startedAt: String
    var configuration: Configuration
    var seconds: Double
    var requests: Requests
    var readings: Readings
    var statuses: [String: Int]
    /// Of 2xx answers. In an open loop it counts from when the request should have been sent, so it
    /// includes stalls of the server: it is corrected for coordinated omission.
    var latency: Latency?
    var isCorrectedForCoordinatedOmission: Bool
    /// Of 2xx answers, from when the request was sent: not corrected.
    var serviceTime: Latency?
    /// Of all other answers, measured like `latency`.
    var refusalLatency: Latency?
    var targets: [TargetResult]
    var connections: Connections
    var bytesSent: Int
    /// The CPU use of the generator, in cores.
    var generatorCores: Double
    var stretchSeconds: Double
    var series: [Stretch]
    /// The histogram of `latency`.
    var histogram: [Bar]
    var thresholds: [Verdict] = []
    /// Beside an earlier run, if one was given.
    var baseline: Baseline?

    static let formOfNow = 1

    /// Whether every threshold holds, and nothing is worse than in the baseline.
    public var isGood: Bool { thresholds.allSatisfy(\.holds) && baseline?.isWorse != true }

    init(
        _ report: LoadReport, plan: LoadPlan, tally: Tally, configuration: Configuration,
        startedAt: String
    ) {
        self.configuration = configuration
        self.startedAt = startedAt
        seconds = report.seconds
        let length = max(seconds, 1e-9)
        let succeeded = report.acceptedCount
        let done = report.answers + report.lost
        let failed = done - succeeded - tally.expectedRefusals
        requests = Requests(
            answered: report.answers, succeeded: succeeded,
            refusedAsExpected: tally.expectedRefusals, lost: report.lost, failed: failed,
            failedShare: done > 0 ? Double(failed) / Double(done) : 1, retried: report.retries,
            dropped: report.neverSent, perSecond: Double(report.answers) / length)
        let totals = tally.totals
        readings = Readings(
            sent: tally.readingsSent, acknowledged: tally.acknowledgedReadings,
            stored: totals.stored, duplicates: totals.duplicates, quarantined: totals.quarantined,
            spooled: tally.spooledReadings,
            uncounted: tally.uncountedReadings > 0 ? tally.uncountedReadings : nil,
            perSecond: Double(tally.acknowledgedReadings) / length)
        statuses = Self.named(report.statuses)
        latency = Latency(report.accepted)
        serviceTime = Latency(report.acceptedFromSend)
        refusalLatency = Latency(report.refused)
        isCorrectedForCoordinatedOmission = plan.pace != .closed
        targets = zip(plan.targets, report.targets).map {
            TargetResult(
                url: $0.url, statuses: Self.named($1.statuses), lost: $1.lost,
                latency: Latency($1.accepted))
        }
        connections = Connections(
            opened: report.connectionsOpened, refused: report.connectionsRefused,
            answersNotHTTP: report.broken)
        bytesSent = report.bytesSent
        generatorCores = report.coresTaken
        stretchSeconds = Double(report.series.stretchNanoseconds) * 1e-9
        series = Self.series(
            report.series, curve: plan.pace.curve, seconds: configuration.durationSeconds)
        histogram = Self.bars(report.accepted)
    }

    private static func named(_ statuses: [Int: Int]) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: statuses.map { (String($0.key), $0.value) })
    }

    private static func series(
        _ series: LoadSeries, curve: RateCurve?, seconds: Double
    ) -> [Stretch] {
        let length = Double(series.stretchNanoseconds) * 1e-9
        return series.stretches.enumerated().map { place, stretch in
            let start = Double(place) * length
            // The average over the whole interval, so that the numbers of a ramp add up.
            let end = min(start + length, seconds)
            let planned = curve.map {
                end > start ? ($0.requests(by: end) - $0.requests(by: start)) / (end - start) : 0
            }
            return Stretch(
                second: start, plannedPerSecond: planned, sent: stretch.sent,
                succeeded: stretch.accepted, refused: stretch.refused, lost: stretch.lost,
                p50: Double(stretch.p50) / 1e6, p90: Double(stretch.p90) / 1e6,
                p99: Double(stretch.p99) / 1e6, max: Double(stretch.max) / 1e6)
        }
    }

    /// Ten bars per power of ten, from the shortest latency to the longest.
    private static func bars(_ histogram: LatencyHistogram) -> [Bar] {
        guard histogram.totalCount > 0 else { return [] }
        var bounds: [UInt64] = []
        var step = (log10(Double(max(1, histogram.min))) * 10).rounded(.down)
        repeat {
            bounds.append(UInt64(pow(10, step / 10)))
            step += 1
        } while bounds.last.map { $0 < histogram.max } == true
        if bounds.count == 1 { bounds.append(UInt64(pow(10, step / 10))) }
        if histogram.min == 0 { bounds[0] = 0 }
        return zip(histogram.counts(between: bounds), bounds.indices).map { count, place in
            Bar(
                from: Double(bounds[place]) / 1e6, to: Double(bounds[place + 1]) / 1e6,
                count: count)
        }
    }

    /// The text that `--json` writes.
    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return try encoder.encode(self) + Data("\n".utf8)
    }
}
