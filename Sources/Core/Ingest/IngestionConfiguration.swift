/// Limits and times of the lanes and the spool's part of ingestion.
public struct IngestionConfiguration: Sendable {
    /// Name of this process among those that write to the database, in `sluice.node_heartbeat`; blank:
    /// the host's name.
    public var node = ""
    /// Writers, each with a connection. 0 means one for each core, from 2 to 8; on Citus two for
    /// each node and more for units. PostgreSQL uses a core for each; two keep it busier than one,
    /// and more than its cores only adds switches.
    public var lanes = 0
    /// On Citus: lanes connect to the nodes that have the rows, at the addresses that the
    /// coordinator has, with the configured database's user, password and TLS. Off: they write
    /// through the configured database.
    public var goesToOwners = true
    /// Bytes of batches that may wait for one lane.
    public var laneBytesMax = 16 * 1024 * 1024
    /// Memory of the batches in one transaction, unless it is a single batch: about 16 000 rows.
    public var groupBytesMax = 1024 * 1024
    /// How long one attempt at a group may take; then its connection is closed.
    public var attemptMax: Duration = .seconds(5)
    /// How long a group is tried again before its batches go to the spool.
    public var patience: Duration = .seconds(1)
    /// How long a batch may wait for its lane, or for its days, before it goes to the spool.
    public var stallMax: Duration = .seconds(3)
    /// How long to wait for a connection.
    public var connectMax: Duration = .seconds(5)
    /// How long a group is tried again while a table that it needs is locked, and how long making
    /// partitions waits for a lock.
    public var lockWaitMax: Duration = .seconds(3)
    /// How long a statement of a group waits for a lock. Then the group goes on without the devices
    /// whose rows are locked. Longer than a transaction of another lane or of the sums takes, and
    /// short, because others of the group wait too.
    public var narrowAfter: Duration = .milliseconds(400)
    /// How long a heartbeat may take: the small transaction that tests whether an unreachable database
    /// accepts rows again.
    public var heartbeatMax: Duration = .seconds(2)
    /// Days after today whose partitions are made ahead of time, so that no batch waits for one at
    /// midnight, and making partitions may fail for some days without delaying a batch.
    public static let daysAhead = 7
    /// Days for which partitions are made in a minute, for all devices together; the same number at
    /// once after a quiet minute. A day takes some 25 ms of DDL.
    public var daysPerMinuteMax = 240
    /// Days for which one device may cause partitions in 24 hours. The default is a little more
    /// than the default accepted age, so that a whole history is stored and a broken clock makes no
    /// more.
    public var daysPerDeviceMax = 800
    /// How long one step of making partitions may take; no batch waits for it.
    public var dayStepMax: Duration = .seconds(30)
    /// The first pause after a failed attempt; it doubles up to ``backoffMax``.
    public var backoffMin: Duration = .milliseconds(50)
    /// The longest pause between attempts to reach a database that is unreachable.
    public var backoffMax: Duration = .seconds(2)
    /// How often lanes check their connections and the spool checks for stalled lanes.
    public var lookInterval: Duration = .milliseconds(250)

    /// What a sender waits for. ``Durability/replicated`` needs a spool and ``unreplicatedBytesMax``.
    public var durability = Durability.committed
    /// Memory for commits that may be on the primary only, see ``UnreplicatedCommits``. Nothing is kept where the
    /// database has no standbys.
    public var unreplicatedBytesMax = 128 * 1024 * 1024
    /// Bytes of batches that may wait to be written to the spool.
    public var spoolIntakeBytesMax = 32 * 1024 * 1024
    /// Memory of the batches in one record of the spool, unless it is a single batch.
    public var spoolRecordBytesMax = 1024 * 1024
    /// Bytes of the spool that may be on their way back to the database at once.
    public var replayBytesMax = 4 * 1024 * 1024
    /// Memory of the batches in one transaction of the replay while there are live batches, at
    /// least one batch. A live batch waits for the replay no longer than one such transaction
    /// takes. Without live batches ``groupBytesMax`` is the limit.
    public var replayGroupBytesMax = 8 * 1024
    /// The share of a lane's time that the replay may use while there are live batches, in percent.
    /// The replay also uses the database's disk and cores, which slows live batches.
    public var replaySharePercent = 12
    /// How long a record of the spool that was not taken waits before its first retry. The wait
    /// doubles each time, up to ``replayRetryMax``.
    public var replayRetry: Duration = .seconds(1)
    /// The longest such wait.
    public var replayRetryMax: Duration = .seconds(60)

    /// When clients are to retry what neither database nor spool takes. Nobody knows when a
    /// database recovers, so they retry a few times a minute.
    static let awayTime: Duration = .seconds(10)

    /// The defaults.
    public init() {}

    /// `lock_timeout` of a lane's session.
    package var rowWait: Duration { min(narrowAfter, lockWaitMax) }

    /// How long a lane looks for what delays a group. What it has not tried by then goes to the
    /// spool. Well below ``stallMax``, because the lane's queue waits meanwhile.
    var narrowMax: Duration { stallMax / 2 }
}
