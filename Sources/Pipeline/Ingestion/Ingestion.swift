/// From parcels and units of work to committed rows: lanes, group commit, the watermark, quarantine,
/// spool and replay.
///
/// ```
///  Edge ── offer ──▶ IngestionCore ──▶ Lane 0 … n-1 (device, owner) ──▶ GroupWriter ──▶ PostgreSQL
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
///    returns the old one. New devices are registered first.
/// 2. The *sifting*: rows newer than the old watermark are new for certain. Where a device's rows
///    are not, what is stored at those times is read and compared byte by byte, for a tuple is
///    its reading's identity; stored ones are left out.
/// 3. The *units* of the group: one call of each kind's statement (``UnitKind``) with all payloads.
///    A group without readings begins here.
/// 4. `COPY gps …; COPY vital …; COPY event …; COMMIT`, one round trip and the data.
///
/// **Exactly once** follows from 1 and 2: the row lock makes transactions of one device take turns,
/// also those of other processes, and the watermark is moved by the transaction that stores the
/// rows. A COMMIT whose answer was lost is simply sent again, and so is everything in the spool
/// that may or may not have been stored before a crash. For units that is their kinds' business: a
/// statement that is called twice writes once, and knows an older payload from a newer one, for
/// what comes out of the spool may have been overtaken.
///
/// **What a device says of itself** stands in its `device_state` row as a hash, with the time of the
/// batch that said it: the claim tells at no cost of its own whether something is new, whichever
/// process and connection heard it last, and a batch that was overtaken changes nothing.
///
/// **When the database refuses** (`FailureClass` has the table): *retry* keeps the group and tries
/// again, on a new connection if need be, for as long as `patience`; then the lane is *away*, and its
/// batches go to the spool until a beat, a small transaction with a group's locks, has proved that
/// rows can be written again. *Poison* splits the group, and in the end a batch, until single rows
/// are found, which go to quarantine while all others commit (``GroupSettlement`` has the limit); rows
/// of days that left the tables go there by their days, without being tried; a unit is refused by
/// itself, or, when it was acknowledged from the spool, goes to `sluice.unit_set_aside`. *Stop* answers
/// with the refusal, readings and each kind of units apart from each other. A batch that waits longer
/// than `stallMax` behind a group that hangs goes to the spool too.
///
/// **Days:** readings are partitioned by day. ``DayMaker`` makes the days, on a loop and a connection
/// of its own, a few in a step (``DayPlan`` has the budgets); a lane holds the parcels whose days are
/// still to be made (``DayHold``), writes the others, and hands what has waited for `stallMax` to the
/// spool. So a batch with years of history is stored in the end and delays nobody. When a COPY finds
/// no partition the lane asks the database whether one is missing: a trigger can raise the same code,
/// and then a reading is to blame.
///
/// **The spool** takes whole batches and units, several of one sort a record, and acknowledges them
/// when they are synced. The replay hands records back to the lanes, oldest first; a record that is not
/// taken waits by itself, twice as long each time, and holds up none behind it; a lane takes one
/// small group of it between two groups of live batches, so a live batch waits no longer for the
/// replay than one such group takes. A record is released when all of it is committed; what was released only in
/// memory comes again after a crash and is found stored. A record with units of kinds that this
/// version does not know stays for one that does (``UnknownKinds``).
///
/// **When another server takes over** it may lack the last commits of the one before. They are in the
/// ``Tail`` until all standbys have them, and go from there to the spool, which brings them back. A
/// commit on a session of the server before counts as one whose answer was lost.
///
/// **Routes:** on plain PostgreSQL a lane is a bucket of device keys. On Citus a route is a shard: a
/// lane has shards of one node and is connected to that node, cuts what it takes by shard, and each
/// part is a transaction of its own, on one node, without two-phase commit (``Arrangement``). Units
/// are recorded on the coordinator, which also makes the partitions. Shards that are moved are
/// followed when the table has been read again; until then any node writes for any other.
///
/// **Groups clock themselves**: a writer takes all that waited, and what arrives meanwhile is the next
/// group. There is no timer: a floor of 2 ms between groups was tried and made no difference.
///
/// **Limits:** `laneBytesMax` of waiting batches and units a lane, of which no device and no owner can
/// have all; `groupBytesMax` of tuples a group, one group at a time; `spoolIntakeBytesMax` on the way
/// to the spool; `replayBytesMax` on the way back; `tailBytesMax` where the database has standbys; 4 MiB a
/// lane that wait for their days. So memory is at most lanes × (laneBytesMax + groupBytesMax + one batch
/// + 4 MiB) + the two of the spool + the tail.
///
/// **A crash** loses what was not acknowledged, and nothing else; a crash in the same moment as a failover
/// what no standby had.
///
/// Everything that is not decided here — time, threads, sessions, the disk — is a ``World``, so that
/// all of it also runs in a simulation, where a seed decides what happens next.
enum Ingestion {}
