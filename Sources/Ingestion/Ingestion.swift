/// From parcels to committed rows: lanes, group commit, the watermark, quarantine.
///
/// ```
///  Edge ── offer ──▶ Ingestor ──▶ Lane 0 … n-1 (by device key) ──▶ GroupWriter ──▶ PostgreSQL
///    ▲                             bounded channel, one queue,      one connection, one
///    └──────── deliver ─────────── one group at a time ◀─────────── transaction a group
/// ```
///
/// **A group is one transaction:**
/// 1. `BEGIN` and the *claim*, in one round trip: one UPDATE of the group's rows in `device_state`,
///    in key order, which locks them, moves each watermark to the newest time of the group and
///    returns the old one. New devices are registered first.
/// 2. The *sifting*: rows newer than the old watermark are new for certain. Where a device's rows
///    are not, what is stored at those times is read and compared byte by byte, for a tuple is
///    its reading's identity; stored ones are left out.
/// 3. `COPY gps …; COPY vital …; COPY event …; COMMIT`, one round trip and the data.
///
/// **Exactly once** follows from 1 and 2: the row lock makes transactions of one device take turns,
/// also those of other processes, and the watermark is moved by the transaction that stores the
/// rows. A COMMIT whose answer was lost is simply sent again.
///
/// **When the database refuses** (`FailureClass` has the table): *retry* keeps the group and tries
/// again, on a new connection if need be, for as long as `patience`; *poison* splits the group, and
/// in the end a batch, until single rows are found, which go to quarantine while all others
/// commit; *stop* answers with the refusal. A group that outlasted `patience` is answered with
/// "unavailable" and the lane turns new batches away until it has a connection again.
///
/// **Groups clock themselves**: a writer takes all that waited, and what arrives meanwhile is the next
/// group. `groupIntervalMin` is a floor under load, so that a machine short of CPU does not settle on
/// many small groups; 0 turns it off.
///
/// **Limits:** `laneBytesMax` of waiting batches a lane, `groupBytesMax` of tuples a group, one
/// group at a time; so memory is at most lanes × (laneBytesMax + groupBytesMax + one batch).
///
/// **A crash** loses what was not acknowledged, and nothing else.
enum Ingestion {}
