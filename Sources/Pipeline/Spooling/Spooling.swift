/// The append log for batches that were accepted while the database is away. It knows bytes, not
/// readings: a record is a payload with a time and a number of units.
///
/// ## Promises
/// - A record is durable when ``Spool/sync()`` came back: file and directory were synced.
/// - Durable records come out oldest first, byte for byte, until they are released. Which are
///   released is kept in memory: a crash brings back those of segments that were not yet empty.
///   Replaying a record twice is harmless, losing one never is.
/// - A directory belongs to one process at a time (``DirectoryDisk`` locks it), a spool to one
///   owner at a time.
///
/// ## Limits
/// Bytes on disk 4 GiB, in segments of 32 MiB · 512 MiB left free for others · 24 MiB a record ·
/// 2 spares · 1 MiB of writes in memory beside the record at hand; reading back costs the memory of
/// one record, opening that of one segment. All in ``SpoolConfiguration``; a segment's number has 16
/// digits and a record's header says at most 256 MiB.
///
/// ## On disk
/// ```
/// spool/spool.lock                     who has it: an flock(2) and, for people, a process id
/// spool/0000000000000007.lz4           a segment
/// spool/spare-0000000000000005.lz4     an emptied one, to be written again
/// spool/bad-0000000000000003.lz4       one with damage, moved aside; removed by people only
/// ```
/// A segment is a row of records and, to its end, zeros or what the file held in an earlier life. A
/// record is an LZ4 skippable frame of 76 bytes (``RecordHeader``) and an LZ4 frame, so that
/// `lz4 -dc` prints the payloads up to the end of the last record. There is no padding:
/// aligned records would cost a sparse spool up to 4 KiB a sync. Instead a write is filled with zeros
/// to the end of a page, at least as many as a header has, and that page is written again by the
/// next write, which changes no byte that was durable.
///
/// When a sync came back, a **mark** is written over the first of those zeros: a header without a
/// frame, which says "all in front of this is durable". The next record overwrites it, and its
/// header says the same. The mark itself is not synced: it survives the end of the process, and the
/// loss of power once the kernel has written it.
///
/// A file's number only grows, and its name is durable before its first byte is written: no file
/// holds records of a higher number than its name says, so a header's number tells this life's
/// records from older ones. Each header also says up to where its segment, and the one before it,
/// was durable already.
///
/// ## Full
/// `append` says ``AppendOutcome/full`` when a new segment would exceed the limits or the disk has
/// no room (`ENOSPC`, `EDQUOT`); nothing was kept then. A segment's space is set aside when it is
/// made, and releasing, renaming and removing need none: a full disk still drains.
///
/// ## What is found after a crash
/// No segment is written on. Whole records are replayed wherever they stand. What is not a record is
/// one of these, and the last three of them are told at level critical; the file is moved aside once
/// its whole records are replayed, and service goes on.
/// - **Never promised**: where a header is due there is a mark, zeros, or a header of the file's
///   earlier life. A promised record has its header there. That is what a process leaves that ends in
///   the middle of a write, for the page with the first header of a write is written last.
/// - **Damaged**: it lies before the end that a header or a mark calls durable, or can't be read.
/// - **Cut short**: the file ends where a header or the rest of a record is due (see below).
/// - **Doubtful**: all else. The power went in the middle of a write that was not promised, or a
///   promised record of the last sync was spoilt, whose mark is lost: nobody can tell, so it may have
///   been promised. Zeros from the very end of a record on are taken for a write that never was.
///
/// A record of a later version is a reason not to open, for this version would mistake it for damage.
///
/// ## How long a file is
/// All of its space is allocated, and its size synced, before it gets a segment's name, and a record
/// is only put where a header fits behind it. So a file under a segment's name holds all of its
/// records and room for a header, except that somebody cut it. It is shorter than it was made:
/// - when opening a spool gave back the space that no header in it speaks of: that takes no record,
///   whole or torn, and leaves room for a header, so it needs no sync;
/// - never after a crash while it was made, for then it is called a spare. A spare that is short is
///   removed.
/// To lengthen a file is not to write it: what follows is zeros or an earlier life.
///
/// ## When the directory goes
/// A file that nobody can find is no place for a promise. After its fsync and before it comes back,
/// a sync looks whether the directory's path still leads to the directory that was opened, and the
/// segment's name to the file. If not, it fails like any other sync. A file that was removed is
/// replaced by the next segment. A directory that was removed, moved or replaced fails every sync
/// until the same one is back in its place, or until a restart, which makes a new one: nothing is
/// made again behind the operator's back, for what was moved would be forgotten then. What was
/// promised before is still read, from files that are open and from a directory that was moved; the
/// segment that was in use stays open for that. Segments that were not open are lost and told so.
///
/// ## Errors
/// A failed sync is not tried again on the same file, for the kernel may have dropped what it could
/// not write. The segment ends with its last durable record, a mark says so, and it is removed once
/// that is replayed. A read is tried twice.
enum Spooling {}
