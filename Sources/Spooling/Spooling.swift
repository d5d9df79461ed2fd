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
/// aligned records would cost a sparse spool up to 4 KiB a sync. Instead the last page of a write is
/// filled with zeros and written again by the next, which changes no byte that was durable.
///
/// A file's number only grows, and its name is durable before its first byte is written: no file
/// holds records of a higher number than its name says, so a header's number tells this life's
/// records from older ones. Each header also says up to where its segment, and the one before it,
/// was durable already. That tells damage from a write that a crash cut off.
///
/// ## Full
/// `append` says ``AppendOutcome/full`` when a new segment would exceed the limits or the disk has
/// no room (`ENOSPC`, `EDQUOT`); nothing was kept then. A segment's space is set aside when it is
/// made, and releasing, renaming and removing need none: a full disk still drains.
///
/// ## What a crash leaves
/// - A torn end of the last segment, never promised: it is cut, by writing no such segment on.
///   Whole records behind a tear are replayed as well. The space behind the last record is given
///   back, so that a segment of a process that crashed takes what it holds.
/// - A segment without records, or a half-made file: becomes a spare or is removed.
/// - Damage, i.e. wrong checksums where records were durable, or bytes that can't be read: all
///   other records are replayed, then the segment is moved aside; service goes on. Only damage to
///   the records of the very last sync can't be told from a torn write.
/// - A record of a later version: opening is refused, for this version would mistake it for damage.
///
/// A failed sync is not tried again on the same file, for the kernel may have dropped what it could
/// not write. The segment ends with its last durable record and is removed once that is replayed.
/// A read is tried twice.
enum Spooling {}
