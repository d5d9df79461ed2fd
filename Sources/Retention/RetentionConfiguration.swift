/// How long what is kept, and where it goes then.
public struct RetentionConfiguration: Sendable {
    /// Days that readings stay in the tables; 0: for ever. Not 1: see ``acceptedAgeMax``.
    public var readingDays = 0
    /// Days that sums by minute stay; 0: for ever. Not less than readings, for late readings add to
    /// them.
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
