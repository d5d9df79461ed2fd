import Foundation
import Readings

/// What happened in a running server between two samples, about a second apart. Rates are a second,
/// times in seconds, shares from 0 to 1.
public struct StatusReport: Codable, Equatable, Sendable {
    /// Of the process.
    public var version: String
    /// The host's name.
    public var node: String
    /// When the interval ended, in UTC.
    public var at: String
    /// Counts reports of one process.
    public var sequence: Int
    /// Between the two samples.
    public var intervalSeconds: Double
    /// Since the start of the process.
    public var uptimeSeconds: Double
    /// Batches can be committed.
    public var databaseUp: Bool
    /// Batches are taken, by the database or by the spool.
    public var available: Bool
    /// Where the time goes.
    public var bottleneck: Bottleneck
    /// All batches under way, by where they are.
    public var stages: [StageLoad]
    /// What happened, a second.
    public var rates: Totals
    /// Since the start.
    public var totals: Totals
    /// Transactions.
    public var groups: Groups
    /// How long it all takes.
    public var latency: Latency.All
    /// By number.
    public var lanes: [LaneReport]
    /// Where batches wait for the database.
    public var spool: SpoolReport
    /// What was set aside.
    public var quarantine: Quarantined
    /// Who is there, and what is under way.
    public var connections: ConnectionFigures
    /// Other routes than `/ingest` that were ever asked for, the busiest first.
    public var routes: [RouteReport]
    /// Work after commits.
    public var jobs: JobReport
    /// What the process and the machine use.
    public var process: ProcessReport
    /// Of the last ten to twenty seconds, slowest first.
    public var slowestDevices: [SlowDevice]

    /// - Parameters:
    ///   - now: the later sample of the same process.
    ///   - earlier: a second before.
    ///   - minuteAgo: as early as there is one, up to a minute.
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
        spool = SpoolReport(now, since: earlier, seconds: seconds)
        quarantine = Quarantined(now, since: earlier, seconds: seconds)
        connections = now.connections
        connections.refused = Rate.of(
            now.connections.refused, earlier.connections.refused, seconds)
        routes = RouteReport.all(now, since: earlier, seconds: seconds)
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

    /// One line; names in snake_case. What is nil has no name in it.
    public func json() -> String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("BUG: a report with a number that is none")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// - Returns: nil for a text that is no report of this version's form.
    public init?(json: String) {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard let report = try? decoder.decode(Self.self, from: Data(json.utf8)) else { return nil }
        self = report
    }
}
