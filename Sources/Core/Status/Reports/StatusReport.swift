import Foundation
import Readings

/// The activity of a running server between two samples, about a second apart. Rates are per
/// second, times in seconds, shares from 0 to 1.
public struct StatusReport: Codable, Equatable, Sendable {
    /// Version of the server.
    public var version: String
    /// The host's name.
    public var node: String
    /// When the interval ended, in UTC.
    public var at: String
    /// Number of the report, counted per process.
    public var sequence: Int
    /// Time between the two samples.
    public var intervalSeconds: Double
    /// Time since the start of the process.
    public var uptimeSeconds: Double
    /// Batches can be committed.
    public var databaseUp: Bool
    /// Batches are accepted, by the database or by the spool.
    public var available: Bool
    /// The limiting stage.
    public var bottleneck: Bottleneck
    /// All batches in progress, by stage.
    public var stages: [StageLoad]
    /// Rates per second.
    public var rates: Totals
    /// Totals since the start of the process.
    public var totals: Totals
    /// The lanes' transactions.
    public var groups: Groups
    /// The measured times.
    public var latency: Latency.All
    /// Ordered by number.
    public var lanes: [LaneReport]
    /// On Citus, lanes whose rows do not go straight to the node that has them; nil: an older
    /// version does not say.
    public var lanesNotDirect: Double?
    /// Batches pending for the database.
    public var spool: SpoolReport
    /// Quarantined readings.
    public var quarantine: Quarantined
    /// Connections and requests in flight.
    public var connections: ConnectionFigures
    /// Routes other than `/ingest` that have been called, the busiest first.
    public var routes: [RouteReport]
    /// The jobs that run after commits.
    public var jobs: JobReport
    /// Resources used by the process and the machine.
    public var process: ProcessReport
    /// From the last ten to twenty seconds, slowest first.
    public var slowestDevices: [SlowDevice]

    /// - Parameters:
    /// - now: the later sample.
    /// - earlier: the sample a second before, of the same process.
    /// - minuteAgo: the oldest available sample of the last minute.
    public init(
        _ now: Sample, since earlier: Sample, minuteAgo: Sample, sequence: Int, node: String
    ) {
        let seconds = max(0, (now.uptime - earlier.uptime) / .seconds(1))
        version = now.version
        self.node = node
        at = Timestamp(unixSeconds: now.unixSeconds).secondsText
        self.sequence = sequence
        intervalSeconds = seconds
        uptimeSeconds = now.uptime / .seconds(1)
        databaseUp = now.isDatabaseUp
        available = now.isAvailable
        rates = now.totals.rates(since: earlier.totals, seconds: seconds)
        totals = now.totals
        groups = Groups(now, since: earlier, seconds: seconds)
        latency = Latency.All(now, earlier, minuteAgo: minuteAgo)
        lanes = now.lanes.map { lane in
            LaneReport(
                lane, since: earlier.lanes.first { $0.lane == lane.lane } ?? LaneSample(),
                bytesMax: now.laneBytesMax, seconds: seconds)
        }
        lanesNotDirect = now.lanesNotDirect
        spool = SpoolReport(now, since: earlier, seconds: seconds)
        quarantine = Quarantined(now, since: earlier, seconds: seconds)
        connections = now.connections
        connections.refused = Rate.of(
            now.connections.refused, earlier.connections.refused, seconds)
        routes = RouteReport.all(now, since: earlier, minuteAgo: minuteAgo, seconds: seconds)
        jobs = JobReport(now.jobs, since: earlier.jobs, seconds: seconds)
        process = ProcessReport(now.process, since: earlier.process, seconds: seconds)
        slowestDevices = now.slowest.map {
            SlowDevice(
                deviceID: $0.deviceID, seconds: Double($0.nanoseconds) / 1e9,
                at: Timestamp(unixSeconds: $0.unixSeconds).secondsText)
        }
        stages = StageLoad.all(
            now, since: earlier, seconds: seconds, loopShare: process.loopBusyShare)
        bottleneck = Bottleneck(stage: .idle, level: .ok, sentence: "")
        bottleneck = Bottleneck(self, now, since: earlier)
    }

    // MARK: As JSON

    /// One line, with names in snake_case; properties that are nil are omitted.
    public func json() -> String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("BUG: a report with a number that is none")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// - Returns: nil if the text is not a report in this version's format.
    public init?(json: String) {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard let report = try? decoder.decode(Self.self, from: Data(json.utf8)) else { return nil }
        self = report
    }
}
