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

/// One lane over an interval. Shares are of the interval.
public struct LaneReport: Codable, Equatable, Sendable {
    /// Its number.
    public var lane: Int
    /// It commits; else its batches go to the spool.
    public var up: Bool
    /// At the end of the interval.
    public var waitingBatches: Double
    /// Their memory.
    public var waitingBytes: Double
    /// What may wait.
    public var waitingBytesMax: Double
    /// Taken from its queue, a second.
    public var batches: Double
    /// Transactions a second.
    public var groups: Double
    /// How long a batch waited; nil when none was taken.
    public var queueWaitSeconds: Double?
    /// How long a transaction took; nil when there was none.
    public var serviceSeconds: Double?
    /// It had a group to commit.
    public var busyShare: Double
    /// It locked devices' rows and read them.
    public var claimShare: Double
    /// It looked up what may be stored already, and did the rest.
    public var siftShare: Double
    /// It sent rows.
    public var copyShare: Double
    /// It waited for PostgreSQL to finish with them and to commit.
    public var commitShare: Double

    init(_ now: LaneSample, since earlier: LaneSample, bytesMax: Double, seconds: Double) {
        func rate(_ field: (LaneSample) -> Double) -> Double {
            Rate.of(field(now), field(earlier), seconds)
        }
        func share(_ field: (LaneSample) -> Double) -> Double { min(1, rate(field)) }
        lane = now.lane
        up = now.isUp
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
    /// What it is doing.
    public enum State: String, Codable, Sendable {
        /// There is none.
        case off
        /// Nothing waits in it.
        case empty
        /// Batches go into it.
        case filling
        /// Something waits, and nothing moves.
        case waiting
        /// It is being brought back to the database.
        case draining
        /// It has no more room, or can't be written.
        case full
    }

    /// What it is doing.
    public var state: State
    /// Of its files.
    public var bytes: Double
    /// What they may have.
    public var bytesMax: Double
    /// Files with something in them.
    public var segments: Double
    /// Readings in it.
    public var waitingReadings: Double
    /// Units of work in it.
    public var waitingUnits: Double
    /// How long the oldest has waited; nil: nothing waits.
    public var oldestSeconds: Double?
    /// Readings that came in, a second.
    public var written: Double
    /// Readings brought back, a second.
    public var replayed: Double
    /// That can't be read back, since the start; their file is kept.
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
