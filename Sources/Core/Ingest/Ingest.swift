/// From device batches and units of work to committed rows: lanes, group commit, the watermark,
/// quarantine, spool and replay.
///
/// ```
///  Edge ── offer ──▶ IngestionCore ──▶ Lane 0 … n-1 (device, owner) ──▶ GroupCommit ──▶ PostgreSQL
///    ▲                    │             two bounded channels, one loop,   one session, one
///    │                    │             one group at a time               transaction a group
///    │                    ▼ a lane is away        │ given up   ▲ small groups
///    │                 SpoolKeeper ◀──────────────┘            │
///    ├──── spooled ────── one loop ────── Replay ──────────────┘
///    └──── committed ── deliver ◀── each commit
/// ```
///
/// **A group is one transaction:**
/// 1. `BEGIN` and the *claim*, in one round trip: one UPDATE of the group's rows in `device_state`,
///    in key order, which locks them, moves each watermark to the newest time of the group and
///    returns the old one. For new devices there is a second round trip: `ROLLBACK`, `BEGIN`, their
///    registration and the claim.
/// 2. The *deduplication*: rows newer than the old watermark are certainly new. For other rows, the
///    stored rows of those times are read, in one round trip, and compared byte by byte, because a
///    tuple is its reading's identity; rows that are stored already are left out.
/// 3. The *units* of the group: one call of each kind's statement (``UnitKind``) with all payloads.
///    A group without readings begins here.
/// 4. Everything else with the COMMIT, in one round trip: corrected counts, new attributes,
///    quarantined readings, the rows as arrays, and the due hours (``DueHours``). Many rows, and
///    beside a local database more than a few, are written by COPY, which costs a round trip for
///    each kind (``GroupStatements``).
///
/// **A device with several users** has a row, a key and a watermark for each, because its readings
/// belong to the user whom their batch named. A reading is a duplicate whoever sent it first: the
/// claim returns the keys of all users of a device id, their rows are locked too, and the
/// deduplication takes them for one device (``Families``). All keys of a device id have one lane
/// and one shard (`DeviceKey`). Nearly all devices have one user, and cost no statement more.
///
/// **Round trips** between a batch and its answer, which are what costs if the database is on
/// another machine: 2 for a known device, 3 for a new one and for readings that are sent again. How
/// long one takes is measured with some of the claims (``RoundTrips``).
///
/// **Exactly once** follows from 1 and 2: the row lock makes transactions of one device take turns,
/// also those of other processes, and the transaction that stores the rows also moves the
/// watermark. A COMMIT whose answer was lost is simply sent again, and so is everything in the
/// spool that may have been stored before a crash. For units it depends on their kinds: a statement
/// that is called twice writes once, and tells an older payload from a newer one, because a spooled
/// payload may have been overtaken.
///
/// **A device's attributes** are in its `device_state` row as a hash, with the time of the batch
/// that had them. So the claim tells at no extra cost whether attributes are new, whichever process
/// stored the last ones, and a batch that was overtaken changes nothing.
///
/// **When the database refuses** (`FailureClass` has the table):
/// - *Retry* keeps the group and tries again, if need be on a new connection, for `patience`. Then
///   the lane is *away*, and its batches go to the spool until a heartbeat, a small transaction with a
///   group's locks, proves that rows can be written again.
/// - *Poison* splits the group, and in the end a batch, until single rows are found. They are
///   quarantined while all others commit (``GroupSettlement`` has the limit). A unit is refused by
///   itself; one that was acknowledged from the spool goes to `sluice.unit_set_aside`.
/// - *Stop* answers with the refusal, for readings and for each kind of units separately. So does a
///   column that must have a value and that readings do not have: no reading can satisfy it.
/// - Some failures concern everybody or only one device or owner: a row that an open transaction
///   has locked, a trigger that keeps a row as it is, `statement_timeout` with one large batch, a
///   damaged page. Whether a heartbeat passes tells which (``LaneHealth/Attempts``). If it does, the group is
///   *narrowed*: it goes on without the devices whose rows are locked, which the database names, or
///   is halved. What is to blame goes to the spool, and its sender is remembered
///   (``BlockedSenders``): it is tried by itself after a pause that doubles, live and from the
///   spool, and delays nobody again. A large batch is written in pieces.
/// - A constraint or trigger that refuses every reading is not told from one that refuses the
///   readings which happened to come: what rows may be is its author's to say. They are
///   quarantined, and `quarantine requeue` stores them once it is gone.
///
/// Rows of days that left the tables are quarantined without an attempt to store them. A batch that
/// waits longer than `stallMax` behind a group that hangs goes to the spool too.
///
/// **Days:** readings are partitioned by day. ``DayMaker`` makes the days on its own loop and
/// connection, a few in a step (``DayPlan`` has the budgets). A lane holds the device batches whose
/// days are still to be made (``PartitionWaitQueue``), writes the others, and hands device batches
/// that have waited for `stallMax` to the spool. So a batch with years of history is stored in the
/// end and delays nobody. When a COPY finds no partition, the lane asks the database whether one is
/// missing. If none is, a trigger raised the same code, and a reading is to blame.
///
/// **The spool** takes batches and units, several of one sort in a record, and acknowledges them
/// when they are synced. The replay hands records back to the lanes, oldest first. A record that is
/// not taken waits by itself, twice as long each time, and delays no other. A lane commits one
/// small group of the replay between two groups of live batches, so a live batch waits for the
/// replay no longer than one such group takes. After a second without live batches the replay's
/// groups are as large as theirs, and the first live batch may wait for one of these. A record is
/// released when all of it is committed. If a crash undoes a release, the record is replayed again
/// and found stored. A record with units of kinds that this version does not know stays for one
/// that does (``UnknownKinds``).
///
/// **When another server takes over** it may lack the last commits of the old one. ``UnreplicatedCommits``
/// keeps commits until all standbys have them; after a takeover they go to the spool, which replays
/// them. A commit on a session of the old server counts as one whose answer was lost.
///
/// **Placement:** on plain PostgreSQL a lane is a bucket of device keys. On Citus
/// (``ShardPlacement``) a lane has shards of one node and is connected to that node. It splits what
/// it takes by shard, and each part is a transaction on one node, without two-phase commit. Units
/// are recorded on the coordinator, which also makes the partitions. Moved shards are followed once
/// the table of shards has been read again; until then any node writes for any other.
///
/// **Groups clock themselves**: a writer takes the queue, up to `groupBytesMax`, and what arrives
/// meanwhile is the next group. There is no timer: a floor of 2 ms between groups was tried and
/// made no difference.
///
/// **Limits:** `laneBytesMax` of queued batches and units a lane, of which no device and no owner
/// can have all; `groupBytesMax` a group, one group at a time; `spoolIntakeBytesMax` on the way to
/// the spool; `replayBytesMax` on the way back; `unreplicatedBytesMax` where the database has standbys;
/// 4 MiB a lane of device batches that wait for their days. So memory is at most lanes ×
/// (laneBytesMax + groupBytesMax + one batch + 4 MiB) + the two of the spool + the unreplicated commits. On Citus a
/// lane with many shards takes up to `laneBytesMax` at once, in place of `groupBytesMax`.
///
/// **A crash** loses only what was not acknowledged. A crash at the moment of a failover also loses
/// what no standby had.
///
/// Everything that is not decided here — time, threads, sessions, the disk — is a ``World``, so
/// that all of it also runs in a simulation, where a seed decides what happens next.
enum Ingest {}
