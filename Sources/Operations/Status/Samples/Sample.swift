import Foundation
import Instruments

/// All that a report is made of, as it was at one moment.
public struct Sample: Sendable {
    /// Since the start of the process, by a clock that is never set.
    public var uptime = Duration.zero
    /// By the wall clock.
    public var unixSeconds: Int64 = 0
    /// Of the process.
    public var version = ""
    /// Batches can be committed, as far as the lanes know.
    public var isDatabaseUp = true
    /// Batches are taken, by the database or by the spool.
    public var isAvailable = true

    /// What only grows.
    public var totals = Totals()
    /// From the head of a request to its answer after the commit.
    public var acknowledgement = Distribution()
    /// From the offer of a batch to its group.
    public var queueWait = Distribution()
    /// From a group's BEGIN to the answer to COMMIT.
    public var commit = Distribution()
    /// A group of batches written to the spool and synced.
    public var spoolSync = Distribution()
    /// Answers 202 to `POST /ingest`.
    public var batchesSpooled = 0.0
    /// Readings a transaction.
    public var groupReadings = Distribution()
    /// Batches a transaction.
    public var groupBatches = Distribution()
    /// Attempts at groups after their first.
    public var retries = 0.0
    /// Groups split because PostgreSQL refused them.
    public var splits = 0.0

    /// By number.
    public var lanes: [LaneSample] = []
    /// Bytes of batches that may wait for one lane.
    public var laneBytesMax = 0.0
    /// nil: there is none.
    public var spool: SpoolSample?
    /// Readings set aside, by reason.
    public var quarantine: [String: Double] = [:]
    /// Who is there, and what is under way.
    public var connections = ConnectionFigures()
    /// Answers by route, without `/ingest`.
    public var routes: [String: RouteSample] = [:]
    /// Work after commits.
    public var jobs = JobSample()
    /// What the process uses.
    public var process = ProcessSample()
    /// Slowest first.
    public var slowest: [SlowestDevices.Entry] = []

    /// Nothing has happened yet.
    public init() {}
}

/// One lane at one moment.
public struct LaneSample: Equatable, Sendable {
    /// Its number.
    public var lane = 0
    /// It commits; else its batches go to the spool.
    public var isUp = true
    /// Batches that wait for it now.
    public var waitingBatches = 0.0
    /// Their memory.
    public var waitingBytes = 0.0
    /// Batches and units taken from its queue, since the start.
    public var batches = 0.0
    /// Transactions, since the start.
    public var groups = 0.0
    /// Time that batches waited, added up.
    public var waitSeconds = 0.0
    /// Time that batches were in its group, added up.
    public var staySeconds = 0.0
    /// Time in which it had a group.
    public var busySeconds = 0.0
    /// Of committed transactions: locking the devices' rows.
    public var claimSeconds = 0.0
    /// Looking up what may be stored already, and the rest.
    public var siftSeconds = 0.0
    /// Sending rows.
    public var copySeconds = 0.0
    /// From the last row sent to the answer to COMMIT.
    public var commitSeconds = 0.0

    /// An idle one.
    public init(lane: Int = 0) {
        self.lane = lane
    }
}

/// The spool at one moment.
public struct SpoolSample: Equatable, Sendable {
    /// Of its files.
    public var bytes = 0.0
    /// What they may have.
    public var bytesMax = 0.0
    /// Files with something in them.
    public var segments = 0.0
    /// Readings in it.
    public var waitingReadings = 0.0
    /// Units of work in it.
    public var waitingUnits = 0.0
    /// When the oldest came; nil: nothing waits.
    public var oldestUnixSeconds: Int64?
    /// Readings written, since the start.
    public var written = 0.0
    /// Readings brought back to the database, since the start.
    public var replayed = 0.0
    /// Readings that can't be read back; their file is kept.
    public var setAsideReadings = 0.0
    /// Groups that could not be written.
    public var failures = 0.0
    /// Batches that there was no room for.
    public var refused = 0.0

    /// An empty one.
    public init() {}
}

/// Answers of one route since the start.
public struct RouteSample: Equatable, Sendable {
    /// All of them.
    public var requests = 0.0
    /// Those with 5xx.
    public var failures = 0.0
    /// From their head to the head of their answer, whatever their method.
    public var times = Distribution()

    /// None yet.
    public init() {}
}

/// Jobs of this node at one moment.
public struct JobSample: Equatable, Sendable {
    /// Being run here.
    public var running = 0.0
    /// In the table, as last counted.
    public var waiting = 0.0
    /// Given up.
    public var dead = 0.0
    /// By kind.
    public var kinds: [String: Kind] = [:]

    /// One kind's runs since the start.
    public struct Kind: Equatable, Sendable {
        /// However they ended.
        public var runs = 0.0
        /// Those that failed, for now or for good.
        public var failures = 0.0
        /// Time of all runs.
        public var seconds = 0.0

        /// None yet.
        public init() {}
    }

    /// None.
    public init() {}
}

/// What the process uses at one moment.
public struct ProcessSample: Equatable, Sendable {
    /// User and system time since its start.
    public var cpuSeconds = 0.0
    /// The part of it that event loops used.
    public var loopSeconds = 0.0
    /// Event loops.
    public var loops = 0.0
    /// In RAM.
    public var residentBytes = 0.0
    /// The whole machine; nil where it doesn't tell.
    public var host: HostFigures?

    /// Nothing yet.
    public init() {}
}

/// What only grows, since the start of the process; and, as rates, the same a second.
///
/// Numbers are floating-point in both forms: a total is exact up to 2^53.
public struct Totals: Codable, Equatable, Sendable {
    /// Answers to `POST /ingest`.
    public var requests = 0.0
    /// Those of them that took nothing: 4xx and 5xx.
    public var requestsRefused = 0.0
    /// Heads and bodies, as they came.
    public var receivedBytes = 0.0
    /// Readings in bodies.
    public var readings = 0.0
    /// Readings committed.
    public var stored = 0.0
    /// Readings that were stored already.
    public var duplicates = 0.0
    /// Readings set aside.
    public var quarantined = 0.0
    /// Readings acknowledged once they were in the spool.
    public var spooled = 0.0
    /// Readings turned down with their whole batch.
    public var refused = 0.0
    /// Transactions of lanes.
    public var commits = 0.0
    /// Of committed rows, in PostgreSQL's binary form.
    public var tupleBytes = 0.0
    /// Captures, meals and the like that were committed.
    public var units = 0.0

    /// All zero.
    public init() {}

    private static let all: [any WritableKeyPath<Totals, Double> & Sendable] = [
        \.requests, \.requestsRefused, \.receivedBytes, \.readings, \.stored, \.duplicates,
        \.quarantined, \.spooled, \.refused, \.commits, \.tupleBytes, \.units,
    ]

    /// The growth since `earlier` a second; what has shrunk counts as not grown.
    public func rates(since earlier: Totals, seconds: Double) -> Totals {
        var rates = Totals()
        for field in Self.all {
            rates[keyPath: field] = Rate.of(self[keyPath: field], earlier[keyPath: field], seconds)
        }
        return rates
    }
}

/// How fast counters grow.
enum Rate {
    /// Never negative, and 0 where no time has passed.
    static func of(_ now: Double, _ earlier: Double, _ seconds: Double) -> Double {
        seconds > 0 ? max(0, now - earlier) / seconds : 0
    }
}

/// Who is connected and what is under way, at one moment.
public struct ConnectionFigures: Codable, Equatable, Sendable {
    /// Open connections.
    public var open = 0.0
    /// How many there may be.
    public var max = 0.0
    /// Bodies received and not yet answered.
    public var inFlightBytes = 0.0
    /// How many of those there may be.
    public var inFlightBytesMax = 0.0
    /// Readings received and not yet answered.
    public var inFlightReadings = 0.0
    /// Connections turned away because too many were open: a total in a sample, a second in a report.
    public var refused = 0.0
    /// Open WebSockets.
    public var sockets = 0.0
    /// How many there may be.
    public var socketsMax = 0.0
    /// Files that are being received.
    public var uploads = 0.0

    /// Nobody.
    public init() {}

    init(_ figures: MetricFigures) {
        open = figures.sum("sluice_http_connections")
        max = figures.sum("sluice_http_connections_max")
        inFlightBytes = figures.sum("sluice_http_in_flight_bytes")
        inFlightBytesMax = figures.sum("sluice_http_in_flight_bytes_max")
        inFlightReadings = figures.sum("sluice_readings_in_flight")
        refused = figures.sum("sluice_http_connections_refused_total")
        sockets = figures.sum("sluice_sockets")
        socketsMax = figures.sum("sluice_sockets_max")
        uploads = figures.sum("sluice_uploads")
    }
}

/// How busy the whole machine is, other processes included: in units of its own, of which only
/// differences and ratios mean something.
public struct HostFigures: Equatable, Sendable {
    /// Time that cores were at work.
    public var busy: Int
    /// Time that they were there.
    public var total: Int
    /// Cores of the machine.
    public var cores: Int

    /// As given.
    public init(busy: Int, total: Int, cores: Int) {
        self.busy = busy
        self.total = total
        self.cores = cores
    }

    /// Asks the system; nil where it doesn't tell.
    ///
    /// Source: proc(5), "/proc/stat".
    public static func read() -> HostFigures? {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else {
            return nil
        }
        return HostFigures(statistics: text)
    }

    /// - Parameter statistics: the text of `/proc/stat`.
    public init?(statistics text: String) {
        let lines = text.split(separator: "\n")
        guard let first = lines.first(where: { $0.hasPrefix("cpu ") }) else { return nil }
        let times = first.split(separator: " ").dropFirst().prefix(8).map { Int($0) ?? 0 }
        // user, nice, system, idle, iowait, irq, softirq, steal
        guard times.count >= 5 else { return nil }
        let total = times.reduce(0, +)
        self.init(
            busy: total - times[3] - times[4], total: total,
            cores: lines.count { $0.hasPrefix("cpu") } - 1)
    }

    /// The share of the cores' time that was used since `earlier`; nil when no time has passed.
    public func busyShare(since earlier: HostFigures) -> Double? {
        guard total > earlier.total else { return nil }
        return min(1, max(0, Double(busy - earlier.busy) / Double(total - earlier.total)))
    }
}
