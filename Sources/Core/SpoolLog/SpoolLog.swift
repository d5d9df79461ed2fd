/// The append log for batches that are accepted while the database is unreachable. It handles
/// bytes, not readings: a record is a payload with a time and a number of units.
///
/// ## Promises
/// - A record is durable when ``Spool/sync()`` has returned: file and directory were synced.
/// - Durable records are read oldest first, byte for byte, until they are released. Releases are
///   kept in memory only: after a crash, released records of segments that were not yet empty are
///   replayed again. Replaying a record twice is harmless, losing one never is.
/// - A directory belongs to one process at a time (``DirectoryDisk`` locks it), a spool to one
///   owner at a time.
///
/// ## Limits
/// 4 GiB on disk, in segments of 32 MiB · 512 MiB left free for others · 24 MiB a record · 2 spares
/// · 1 MiB of writes in memory beside the current record. Reading back takes the memory of one
/// record, opening that of one segment. All are in ``SpoolConfiguration``. A segment's number has
/// 16 digits, and a record's header allows at most 256 MiB.
///
/// ## On disk
/// ```
/// spool/spool.lock                     an flock(2); the owner's process id, for people
/// spool/0000000000000007.lz4           a segment
/// spool/spare-0000000000000005.lz4     an emptied segment, to be reused
/// spool/bad-0000000000000003.lz4       a damaged segment, moved aside; never removed here
/// ```
/// A segment is a sequence of records; the rest of the file is zeros or bytes of its earlier use. A
/// record is an LZ4 skippable frame of 76 bytes (``RecordHeader``) and an LZ4 frame: `lz4 -dc`
/// prints the payloads up to the end of the last record. Records are not aligned: that would cost
/// up to 4 KiB a sync when few records arrive. Instead each write is filled with zeros to the end
/// of a page, at least as many as a header has. The next write writes that page again and changes
/// no durable byte.
///
/// After a sync, a **mark** is written over the first of those zeros: a header without a frame,
/// which says "everything before this is durable". The next record overwrites it, and its header
/// says the same. The mark itself is not synced: it survives the end of the process, and a power
/// failure once the kernel has written it.
///
/// A file's number only grows, and its name is durable before its first byte is written. So no file
/// holds records with a higher number than its name has, and the number in a header tells current
/// records from those of an earlier use. Each header also says up to where its segment, and the
/// segment before it, was durable.
///
/// ## Full
/// `append` returns ``AppendOutcome/full`` and keeps nothing when a new segment would exceed the
/// limits or the disk has no room (`ENOSPC`, `EDQUOT`). A segment's space is allocated when it is
/// made, and releasing, renaming and removing need none, so a full disk still drains.
///
/// ## After a crash
/// Nothing is appended to a segment that was found. Whole records are replayed wherever they are.
/// Anything else is one of these. The last three are logged at level critical; the file is moved
/// aside once its whole records are replayed, and service goes on.
/// - **Never promised**: where a header should be, there is a mark, zeros, or a header of the
///   file's earlier use. A promised record would have its header there. A process that ends in the
///   middle of a write leaves this, because the page with the write's first header is written last.
/// - **Damaged**: it lies before the end that a header or a mark calls durable.
/// - **Cut short**: the file ends where a header or the rest of a record should be (see below).
/// - **Doubtful**: all else. Either the power failed during a write that was not promised, or a
///   promised record of the last sync was damaged and its mark lost. The two can't be told apart,
///   so it may have been promised. Zeros directly after a record count as never written.
///
/// A spool with a record of a later version is not opened: this version would call it damaged.
///
/// ## How long a file is
/// All of its space is allocated, and its size synced, before it gets a segment's name, and a
/// record is only written where a header fits after it. So a file with a segment's name holds all
/// of its records and room for a header, unless somebody cut it. A file is shorter than it was
/// made:
/// - when opening the spool returned the space that no header in it mentions. That removes no
///   record, whole or torn, and leaves room for a header, so it needs no sync.
/// - never because of a crash while it was made: it is still named a spare then. A short spare is
///   removed.
/// Lengthening a file is not writing it: the added bytes are zeros or of an earlier use.
///
/// ## When the directory is removed or moved
/// A promise is worth nothing in a file that nobody can find. So after its fsync a sync checks that
/// the directory's path still leads to the directory that was opened, and the segment's name to the
/// file. If not, it fails like any other sync. A file that was removed is replaced by the next
/// segment. A directory that was removed, moved or replaced fails every sync until the same one is
/// back in its place, or until a restart, which makes a new one. It is never made again before
/// that, because the records in the moved directory would be forgotten. Records that were promised
/// before can still be read from open files and from a directory that was moved; the segment in use
/// stays open for that. Segments that were not open are lost, and reported as lost.
///
/// ## Errors
/// A failed sync is not retried on the same file, because the kernel may have dropped the data. The
/// segment then ends with its last durable record, a mark says so, and it is removed once that is
/// replayed.
///
/// A read that fails says nothing about the bytes: the disk, the network or a limit may be at
/// fault, and all of that passes. It is tried four times at once. Then what could not be read is
/// skipped, and the file stays in place and is read again later, after pauses that the owner makes
/// (``Spool/unreadSegments``, ``Spool/readAgain(_:)``). Only bytes that were read are called
/// damaged. A segment that was moved aside and is intact, or can't be read now, comes back when the
/// spool is opened.
enum SpoolLog {}
