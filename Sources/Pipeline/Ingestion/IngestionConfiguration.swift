import Glibc
import Postgres

/// Limits and times of the lanes and the spool's part of ingestion.
public struct IngestionConfiguration: Sendable {
    /// Name of this process among those that write to the database, in `sluice.node_beat`; blank:
    /// the host's name.
    public var node = ""
    /// Writers, each with a connection; 0 means one for each core, from 2 to 8. PostgreSQL spends a
    /// core on each, and two keep it busier than one; more than its cores only adds switches.
    public var lanes = 0
    /// On Citus: lanes connect to the nodes that have the rows, at the addresses by which the
    /// coordinator knows them, with the configured database's user, password and TLS. Off: they
    /// write by way of the configured database.
    public var goesToOwners = true
    /// Bytes of batches that may wait for one lane.
    public var laneBytesMax = 16 * 1024 * 1024
    /// Bytes of tuples that one transaction takes, if more than one batch: about 16 000 rows.
    public var groupBytesMax = 1024 * 1024
    /// How long one attempt at a group may take; then its connection is given up.
    public var attemptMax: Duration = .seconds(5)
    /// How long a group is tried again before its batches go to the spool.
    public var patience: Duration = .seconds(1)
    /// How long a batch may wait for its lane, or for its days, before it goes to the spool.
    public var stallMax: Duration = .seconds(3)
    /// How long to wait for a connection.
    public var connectMax: Duration = .seconds(5)
    /// How long a transaction waits for a lock of somebody else's before it is tried again.
    public var lockWaitMax: Duration = .seconds(3)
    /// How long the small transaction may take that asks a database which was away whether it takes
    /// rows again.
    public var beatMax: Duration = .seconds(2)
    /// Days after today whose partitions are made ahead of time, so that no batch waits for one at
    /// midnight, and nobody notices a database that is unreachable for some days.
    public static let daysAhead = 7
    /// Days for which partitions are made in a minute, for all devices together; the same number at
    /// once after a quiet minute. A day takes some 25 ms of DDL.
    public var daysPerMinuteMax = 240
    /// Days for which partitions are made in 24 hours because of one device: a little more than the
    /// usual accepted age has, so that a whole history comes in, and a broken clock makes no more.
    public var daysPerDeviceMax = 800
    /// How long one step of making partitions may take; no batch waits for it.
    public var dayStepMax: Duration = .seconds(30)
    /// The first pause after a failed attempt; it doubles up to ``backoffMax``.
    public var backoffMin: Duration = .milliseconds(50)
    /// The longest pause between attempts to reach a database that is away.
    public var backoffMax: Duration = .seconds(2)
    /// How often lanes look after their connections and the spool looks for lanes that stall.
    public var lookInterval: Duration = .milliseconds(250)

    /// What a sender waits for. ``Durability/replicated`` needs a spool and a tail.
    public var durability = Durability.committed
    /// Memory of what was committed and may be on the primary only, see ``Tail``. Nothing is kept where
    /// the database has no standbys.
    public var tailBytesMax = 128 * 1024 * 1024
    /// Bytes of batches that may wait to be written to the spool.
    public var spoolIntakeBytesMax = 32 * 1024 * 1024
    /// Bytes of tuples in one record of the spool, if more than one batch.
    public var spoolRecordBytesMax = 1024 * 1024
    /// Bytes of the spool that may be on their way back to the database at once.
    public var replayBytesMax = 4 * 1024 * 1024
    /// Bytes of tuples that one transaction of the replay takes: the longest that a live batch
    /// waits because of it is the time of one such transaction.
    public var replayGroupBytesMax = 32 * 1024
    /// Of a lane's time, what the replay may take while there are live batches, in percent: it also
    /// takes of the database's disk and cores, which live batches feel.
    public var replaySharePercent = 12
    /// How long a record of the spool that was not taken waits before it is tried again, the first
    /// time; twice as long each time, up to ``replayRetryMax``.
    public var replayRetry: Duration = .seconds(1)
    /// The longest that such a record waits.
    public var replayRetryMax: Duration = .seconds(60)

    /// The defaults.
    public init() {}

    /// ``lanes``, with an answer in the place of 0: the cluster's, or else the machine's.
    func laneCount(for shards: ShardTable?) -> Int {
        if lanes > 0 { return lanes }
        if let shards { return Arrangement.laneCount(for: shards) }
        return min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 2), 8)
    }
}
