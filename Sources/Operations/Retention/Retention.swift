/// How days leave the tables, and come back.
///
/// Readings older than a limit leave a day and a table at a time: a partition is detached, its rows
/// are written to a file, the file is read back, and the partition is dropped. Rollups have a limit
/// of their own; a day of readings leaves when its hours are summed. What stays for ever: devices and their watermarks, users' captures, meals and
/// journals.
///
/// ## On disk
/// ```
/// gps_20250101.copy.lz4      one LZ4 frame: `lz4 -dc` prints the rows in COPY's text form
/// gps_20250101.json          its manifest: day, rows, columns, times, sizes, SHA-256
/// gps_20250101-2.copy.lz4    the day was brought back and left again
/// ….part                     being written, or what a crash left; written over
/// ```
/// To bring one back without Sluice: `lz4 -dc FILE | psql -c 'copy sluice.gps (COLUMNS) from
/// stdin'`.
///
/// ## Locks
/// A partition's other name takes ACCESS EXCLUSIVE on that partition alone, for a moment and for no
/// longer than a second's wait. Detaching is concurrent: COPY into the table and queries of it go
/// on. The wait for transactions that know the partition holds no lock; after a minute it is left
/// for the next run. One process at a time works on the archive, by a session's advisory lock; the
/// directory's `.lock` keeps another database's processes away.
///
/// ## A crash
/// The catalogue says where a day is: attached under its usual name, attached or half detached
/// under its other name, a table by itself, gone. `sluice.archive` has a row of it from the second
/// on. Copying is done again from the start; a table is dropped in the transaction that notes its
/// file, after the file was synced, named, and read back with its SHA-256, size and row count.
///
/// ## The clock
/// Days are old by the database's clock, which is doubted: nothing is done while it differs from the
/// node's by more than an hour, and today is at most seven days after the newest day that has a
/// reading in the tables. So a clock that is a year ahead costs at most a week of days. Where no
/// device sends any more the last days stay, and the run that fails says why; somebody who has
/// looked at the clock can let them leave (`sluice archive run --trust-clock`). Without a directory
/// no more than three days of a table are dropped in one night.
///
/// ## What comes late
/// A day that left stays out. Readings are taken up to a day before they would leave
/// (``RetentionConfiguration/acceptedAgeMax``); what is older, a replay above all, goes to
/// quarantine as `t_too_old`. Watermarks can't help there: a replay of what is gone would be looked
/// for, not found, and stored again. What still comes for such a day, from a spool that waited for
/// days, is refused by `sluice.ensure_days` and goes to quarantine as `t_too_old` too; once the day
/// is restored it can be requeued.
///
/// ## Limits
/// Memory: about a mebibyte, however large a day is. Disk: a day's file beside the day until it is
/// checked. A full disk ends the run; nothing is dropped then.
enum Retention {}

/// How long what is kept, and where it goes then.
public struct RetentionConfiguration: Sendable {
    /// Days that readings stay in the tables; 0: for ever. Not 1: see ``acceptedAgeMax``.
    public var readingDays = 0
    /// Days that sums by hour stay; 0: for ever. Not less than readings, from which they are made.
    public var rollupDays = 0
    /// Days that faulty readings stay in quarantine; 0: for ever.
    public var quarantineDays = 0
    /// How long what nobody has asked for is kept: results for users who don't come back, dead
    /// jobs, the signs of life of processes that are gone.
    public var leftoverAge: Duration = .seconds(90 * 86_400)
    /// Where days go as files; `none`: they are dropped, whatever was before. Blank is not taken
    /// with a limit by the settings; here it is as `none`, unless others were archived before.
    public var archiveDirectory = ""

    /// How long giving a partition its other name waits for those who use it; they wait meanwhile.
    var renameWaitMax: Duration = .seconds(1)
    /// How long detaching waits for transactions that use the parent; nobody waits meanwhile.
    var detachWaitMax: Duration = .seconds(60)
    /// How far today may be from the newest day with a reading; what is beyond is not believed.
    public var quietDaysMax = 7
    /// Days of each table that are dropped without a file in one night; so a slip of the pen costs a
    /// few days, not all of them.
    var droppedDaysMax = 3

    /// Keep everything for ever.
    public init() {}

    /// Something is to leave some time.
    public var isOn: Bool { readingDays > 0 || rollupDays > 0 }

    /// How old a reading may be to be taken; nil: readings stay for ever.
    ///
    /// A day less than they stay. So there is a day and more between the last reading that is taken
    /// for a day and the moment when that day leaves, and replays of what has left are refused:
    /// they would not be found and be stored again.
    public var acceptedAgeMax: Duration? {
        readingDays > 0 ? .seconds((readingDays - 1) * 86_400) : nil
    }

    /// Where files of days are; nil: there is no such directory.
    public var directoryPath: String? {
        guard case .directory(let path) = destination else { return nil }
        return path
    }

    /// What ``archiveDirectory`` says.
    var destination: Destination {
        switch archiveDirectory {
        case "": .nowhere(isMeant: false)
        case "none": .nowhere(isMeant: true)
        default: .directory(archiveDirectory)
        }
    }

    /// Where days go.
    enum Destination: Equatable {
        case directory(String)
        /// Meant: said so, not just left out.
        case nowhere(isMeant: Bool)
    }
}
