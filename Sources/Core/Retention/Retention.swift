/// How days leave the tables, archived or dropped, and how they are restored.
///
/// Readings older than a limit leave one day and table at a time: a partition is detached, its rows
/// are written to a file, the file is read back, and the partition is dropped. Rollups have their
/// own limit; a day of readings leaves only after its hours are summed. Devices and their
/// watermarks, and users' captures, meals and journals stay for ever.
///
/// Where a partition holds several days (`sluice migrate --partition-days`), they leave and return
/// together, when the last of them is old enough, and "a day" stands for all of them: the first one
/// is in names and in `sluice.archive`.
///
/// ## On disk
/// ```
/// gps_20250101.csv.zst       CSV with a header, one Zstandard frame; see ``TableCopy``
/// gps_20250101.json          its manifest: day, rows, columns, times, completeness, SHA-256
/// gps_20250101-2.csv.zst     the day was restored and left again
/// gps_20250101.2.csv.zst     devices were erased from it
/// ….part                     being written, or left by a crash; overwritten
/// ```
/// In a bucket (``ArchiveBucket``) the names are the same, but for `.part`: an unfinished upload is
/// not shown, and the next run drops it.
///
/// Files of older versions, `.copy.lz4`, are checked, restored and erased from as ever
/// (``ArchiveForm``).
///
/// ## Locks
/// Renaming a partition takes ACCESS EXCLUSIVE on that partition alone, briefly, and waits for it
/// at most a second. Detaching is concurrent: COPY into the table and queries of it continue. The
/// wait for transactions that use the partition holds no lock; after a minute it is left to the
/// next run. One process at a time works on the archive, by a lock of `sluice.archive_turn`; the
/// directory's `.lock` keeps another database's processes away; in a bucket, an object that names
/// the one database that may write there.
///
/// ## A crash
/// The catalogue has the state of a day: attached under its usual name, attached or half detached
/// under its other name, a separate table, gone. From the second state on, `sluice.archive` has a
/// row for it. Copying starts again from the beginning. A table is dropped in the transaction that
/// records its file, after the file was synced, named and checked by SHA-256, size and row count.
///
/// ## The clock
/// The age of a day is counted by the database's clock. Nothing leaves while that clock differs
/// from the node's by more than an hour, and today is at most seven days after the newest day
/// with a reading in the tables. So a clock that is a year ahead costs at most a week of days. If
/// no device sends any more, the last days stay, and the failed run says why. An operator who has
/// checked the clock can let them leave (`sluice archive run --trust-clock`). Without a
/// directory, at most three days of a table are dropped in one night.
///
/// ## Late readings
/// A day that left stays out. Readings are accepted until a day before they would leave
/// (``RetentionConfiguration/acceptedAgeMax``). Older ones, above all replays, are quarantined as
/// `t_too_old`. Watermarks can't recognise them: a replayed reading whose day is gone would not
/// be found and would be stored again. `sluice.ensure_days` rejects readings of such a day that
/// were in a spool; they are quarantined as `t_too_old`, too. Once the day is restored, they can
/// be requeued.
///
/// ## Limits
/// Memory: about a mebibyte, however large a day is; with a bucket, some 40. Disk: a day's file beside
/// the day until the file is checked; with a bucket, none. A full disk or bucket ends the run before
/// anything is dropped.
enum Retention {}
