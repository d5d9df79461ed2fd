import Foundation
import Instruments

/// The input of a report: all figures at one moment.
public struct Sample: Sendable {
    /// Time since the start of the process, by a monotonic clock.
    public var uptime = Duration.zero
    /// Time of the sample by the wall clock.
    public var unixSeconds: Int64 = 0
    /// Version of the server.
    public var version = ""
    /// Batches can be committed, according to the lanes.
    public var isDatabaseUp = true
    /// Batches are accepted, by the database or by the spool.
    public var isAvailable = true

    /// Counters.
    public var totals = Totals()
    /// Time from the head of a request to its answer after the commit.
    public var acknowledgement = Distribution()
    /// Time from the offer of a batch until a group takes it.
    public var queueWait = Distribution()
    /// Time from a group's BEGIN to the answer to COMMIT.
    public var commit = Distribution()
    /// Time to write and sync a group of batches to the spool.
    public var spoolSync = Distribution()
    /// Number of 202 answers to `POST /ingest`.
    public var batchesSpooled = 0.0
    /// Readings per transaction.
    public var groupReadings = Distribution()
    /// Batches per transaction.
    public var groupBatches = Distribution()
    /// Attempts at groups after the first.
    public var retries = 0.0
    /// Groups split because PostgreSQL rejected them.
    public var splits = 0.0

    /// Sorted by number.
    public var lanes: [LaneSample] = []
    /// On Citus, lanes whose rows do not go straight to the node that has them.
    public var lanesNotDirect = 0.0
    /// Maximum bytes queued for one lane.
    public var laneBytesMax = 0.0
    /// nil: there is no spool.
    public var spool: SpoolSample?
    /// Quarantined readings by reason.
    public var quarantine: [String: Double] = [:]
    /// Connections and requests in flight.
    public var connections = ConnectionFigures()
    /// Answers by route, without `/ingest`.
    public var routes: [String: RouteSample] = [:]
    /// The jobs that run after commits.
    public var jobs = JobSample()
    /// Resources used by the process.
    public var process = ProcessSample()
    /// Slowest first.
    public var slowest: [SlowestDevices.Entry] = []

    /// A sample in which all figures are zero.
    public init() {}
}

/// One lane at one moment.
public struct LaneSample: Equatable, Sendable {
    /// Its number.
    public var lane = 0
    /// Whether it can commit; if not, its batches go to the spool.
    public var isUp = true
    /// Devices and owners that it can't write while it writes others.
    public var blocked = 0.0
    /// Batches queued now.
    public var waitingBatches = 0.0
    /// Memory of the queued batches.
    public var waitingBytes = 0.0
    /// Batches and units taken from its queue since the start.
    public var batches = 0.0
    /// Transactions since the start.
    public var groups = 0.0
    /// Sum of the times that batches were queued.
    public var waitSeconds = 0.0
    /// Sum of the times that batches were in its group.
    public var staySeconds = 0.0
    /// Time in which it had a group to commit.
    public var busySeconds = 0.0
    /// Committed transactions: time spent locking device rows.
    public var claimSeconds = 0.0
    /// Time spent looking up stored rows, and on what belongs to no other step.
    public var siftSeconds = 0.0
    /// Time spent sending rows.
    public var copySeconds = 0.0
    /// Time from the last row sent to the answer to COMMIT.
    public var commitSeconds = 0.0

    /// An idle lane.
    public init(lane: Int = 0) {
        self.lane = lane
    }
}

/// The spool at one moment.
public struct SpoolSample: Equatable, Sendable {
    /// Size of its files.
    public var bytes = 0.0
    /// Maximum size of its files.
    public var bytesMax = 0.0
    /// Files with pending records.
    public var segments = 0.0
    /// Pending readings.
    public var waitingReadings = 0.0
    /// Pending units of work.
    public var waitingUnits = 0.0
    /// Arrival of the oldest pending record; nil: there is none.
    public var oldestUnixSeconds: Int64?
    /// Readings written since the start.
    public var written = 0.0
    /// Readings replayed since the start.
    public var replayed = 0.0
    /// Unreadable readings since the start; their file is kept.
    public var setAsideReadings = 0.0
    /// Groups that could not be written, since the start.
    public var failures = 0.0
    /// Batches refused for lack of space, since the start.
    public var refused = 0.0

    /// An empty spool.
    public init() {}
}

/// Answers of one route since the start.
public struct RouteSample: Equatable, Sendable {
    /// Number of answers.
    public var requests = 0.0
    /// Answers with 5xx.
    public var failures = 0.0
    /// Time from the head of the request to the head of the answer, for all methods.
    public var times = Distribution()

    /// A route without answers.
    public init() {}
}

/// Jobs of this node at one moment.
public struct JobSample: Equatable, Sendable {
    /// Running on this node.
    public var running = 0.0
    /// Waiting in the table, as last counted.
    public var waiting = 0.0
    /// Given up.
    public var dead = 0.0
    /// By kind.
    public var kinds: [String: Kind] = [:]

    /// One kind's runs since the start.
    public struct Kind: Equatable, Sendable {
        /// All runs, whatever their outcome.
        public var runs = 0.0
        /// Failed runs, including those that will be retried.
        public var failures = 0.0
        /// Total time of all runs.
        public var seconds = 0.0

        /// A kind without runs.
        public init() {}
    }

    /// No jobs.
    public init() {}
}

/// Resources used by the process at one moment.
public struct ProcessSample: Equatable, Sendable {
    /// User and system CPU time since the start.
    public var cpuSeconds = 0.0
    /// The event loops' part of `cpuSeconds`.
    public var loopSeconds = 0.0
    /// Number of event loops.
    public var loops = 0.0
    /// Resident memory.
    public var residentBytes = 0.0
    /// Figures of the whole machine; nil: unknown.
    public var host: HostFigures?

    /// All zero.
    public init() {}
}

/// Counters since the start of the process; the same type holds their rates per second.
///
/// Both are floating-point numbers; a total is exact up to 2^53.
public struct Totals: Codable, Equatable, Sendable {
    /// Answers to `POST /ingest`.
    public var requests = 0.0
    /// Answers with a status other than 2xx: nothing of the request was accepted.
    public var requestsRefused = 0.0
    /// Size of heads and bodies as received.
    public var receivedBytes = 0.0
    /// Readings in request bodies.
    public var readings = 0.0
    /// Readings committed.
    public var stored = 0.0
    /// Readings that were stored already.
    public var duplicates = 0.0
    /// Quarantined readings.
    public var quarantined = 0.0
    /// Readings acknowledged after they were spooled.
    public var spooled = 0.0
    /// Readings refused with their whole batch.
    public var refused = 0.0
    /// Transactions of lanes.
    public var commits = 0.0
    /// Size of the committed rows in PostgreSQL's binary format.
    public var tupleBytes = 0.0
    /// Committed units of work, such as captures and meals.
    public var units = 0.0

    /// All zero.
    public init() {}

    private static let all: [any WritableKeyPath<Totals, Double> & Sendable] = [
        \.requests, \.requestsRefused, \.receivedBytes, \.readings, \.stored, \.duplicates,
        \.quarantined, \.spooled, \.refused, \.commits, \.tupleBytes, \.units,
    ]

    /// The increase per second since `earlier`; a counter that has decreased counts as zero.
    public func rates(since earlier: Totals, seconds: Double) -> Totals {
        var rates = Totals()
        for field in Self.all {
            rates[keyPath: field] = Rate.of(self[keyPath: field], earlier[keyPath: field], seconds)
        }
        return rates
    }
}

/// Rates of counters.
enum Rate {
    /// Never negative; 0 if no time has passed.
    static func of(_ now: Double, _ earlier: Double, _ seconds: Double) -> Double {
        seconds > 0 ? max(0, now - earlier) / seconds : 0
    }
}

/// Connections and requests in flight, at one moment.
public struct ConnectionFigures: Codable, Equatable, Sendable {
    /// Open connections.
    public var open = 0.0
    /// Maximum number of open connections.
    public var max = 0.0
    /// Bytes of bodies received and not answered yet.
    public var inFlightBytes = 0.0
    /// Maximum of `inFlightBytes`.
    public var inFlightBytesMax = 0.0
    /// Readings received and not yet answered.
    public var inFlightReadings = 0.0
    /// Connections refused because too many were open: a total in a sample, per second in a report.
    public var refused = 0.0
    /// Open WebSockets.
    public var sockets = 0.0
    /// Maximum number of open WebSockets.
    public var socketsMax = 0.0
    /// Files being received.
    public var uploads = 0.0

    /// All zero.
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

/// CPU usage of the whole machine, including other processes. The unit is arbitrary: only
/// differences and ratios are meaningful.
public struct HostFigures: Equatable, Sendable {
    /// CPU time used by all cores.
    public var busy: Int
    /// CPU time available on all cores.
    public var total: Int
    /// Number of cores.
    public var cores: Int

    /// Figures with the given values.
    public init(busy: Int, total: Int, cores: Int) {
        self.busy = busy
        self.total = total
        self.cores = cores
    }

    /// Reads the figures from the system; nil if they are unavailable.
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

    /// The share of the machine's CPU time used since `earlier`; nil if no time has passed.
    public func busyShare(since earlier: HostFigures) -> Double? {
        guard total > earlier.total else { return nil }
        return min(1, max(0, Double(busy - earlier.busy) / Double(total - earlier.total)))
    }
}
