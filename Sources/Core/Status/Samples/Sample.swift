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
