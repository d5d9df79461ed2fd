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
