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

/// One lane over an interval. Shares are shares of the interval.
public struct LaneReport: Codable, Equatable, Sendable {
    /// Its number.
    public var lane: Int
    /// Whether it can commit; if not, its batches go to the spool.
    public var up: Bool
    /// Devices and owners that it can't write while it writes others; their batches go to the spool.
    /// nil: an older version says nothing of them.
    public var blocked: Double?
    /// Queued batches at the end of the interval.
    public var waitingBatches: Double
    /// Memory of the queued batches.
    public var waitingBytes: Double
    /// Maximum of `waitingBytes`.
    public var waitingBytesMax: Double
    /// Batches taken from its queue, per second.
    public var batches: Double
    /// Transactions per second.
    public var groups: Double
    /// Time of a batch in the queue; nil if none was taken.
    public var queueWaitSeconds: Double?
    /// Time of a transaction; nil if there was none.
    public var serviceSeconds: Double?
    /// Share in which it had a group to commit.
    public var busyShare: Double
    /// Share in which it locked and read device rows.
    public var claimShare: Double
    /// Share in which it looked up rows that may be stored already, and did what belongs to no
    /// other step.
    public var siftShare: Double
    /// Share in which it sent rows.
    public var copyShare: Double
    /// Share in which it waited for PostgreSQL to process the rows and commit.
    public var commitShare: Double

    init(_ now: LaneSample, since earlier: LaneSample, bytesMax: Double, seconds: Double) {
        func rate(_ field: (LaneSample) -> Double) -> Double {
            Rate.of(field(now), field(earlier), seconds)
        }
        func share(_ field: (LaneSample) -> Double) -> Double { min(1, rate(field)) }
        lane = now.lane
        up = now.isUp
        blocked = now.blocked
        waitingBatches = now.waitingBatches
        waitingBytes = now.waitingBytes
        waitingBytesMax = bytesMax
        batches = rate { $0.batches }
        groups = rate { $0.groups }
        queueWaitSeconds = batches > 0 ? rate { $0.waitSeconds } / batches : nil
        let steps = rate { $0.claimSeconds + $0.siftSeconds + $0.copySeconds + $0.commitSeconds }
        serviceSeconds = groups > 0 ? steps / groups : nil
        busyShare = share { $0.busySeconds }
        claimShare = share { $0.claimSeconds }
        siftShare = share { $0.siftSeconds }
        copyShare = share { $0.copySeconds }
        commitShare = share { $0.commitSeconds }
    }
}

/// The spool over an interval.
public struct SpoolReport: Codable, Equatable, Sendable {
    /// What the spool is doing.
    public enum State: String, Codable, Sendable {
        /// There is no spool.
        case off
        /// It is empty.
        case empty
        /// Batches go into it.
        case filling
        /// It has pending records, and none is written or replayed.
        case waiting
        /// It is being replayed.
        case draining
        /// It has no space left, or writing fails.
        case full
    }

    /// What the spool is doing.
    public var state: State
    /// Size of its files.
    public var bytes: Double
    /// Maximum size of its files.
    public var bytesMax: Double
    /// Files with pending records.
    public var segments: Double
    /// Pending readings.
    public var waitingReadings: Double
    /// Pending units of work.
    public var waitingUnits: Double
    /// Age of the oldest pending record; nil: there is none.
    public var oldestSeconds: Double?
    /// Readings written per second.
    public var written: Double
    /// Readings replayed per second.
    public var replayed: Double
    /// Unreadable readings since the start; their file is kept.
    public var setAsideReadings: Double
    /// Groups that could not be written, since the start.
    public var failures: Double

    init(_ now: Sample, since earlier: Sample, seconds: Double) {
        let spool = now.spool ?? SpoolSample()
        let before = earlier.spool ?? spool
        bytes = spool.bytes
        bytesMax = spool.bytesMax
        segments = spool.segments
        waitingReadings = spool.waitingReadings
        waitingUnits = spool.waitingUnits
        let waits = waitingReadings + waitingUnits > 0
        oldestSeconds =
            waits
            ? spool.oldestUnixSeconds.map { Double(max(0, now.unixSeconds - $0)) } : nil
        written = Rate.of(spool.written, before.written, seconds)
        replayed = Rate.of(spool.replayed, before.replayed, seconds)
        setAsideReadings = spool.setAsideReadings
        failures = spool.failures
        let turnedAway = spool.refused > before.refused || spool.failures > before.failures
        state =
            if now.spool == nil { .off } else if turnedAway { .full } else if written > 0 {
                .filling
            } else if replayed > 0 { .draining } else if waits { .waiting } else { .empty }
    }
}
