/// How long data is kept, and where it goes then.
public struct RetentionConfiguration: Sendable {
    /// Days that readings stay in the tables; 0: for ever. 1 is invalid: see ``acceptedAgeMax``.
    public var readingDays = 0
    /// Days that hourly sums stay; 0: for ever. Not less than readings, from which they are made.
    public var rollupDays = 0
    /// Days after its end when a day of readings is sealed; 0: never.
    public var sealAfterDays = 0
    /// Days that readings stay in quarantine; 0: for ever.
    public var quarantineDays = 0
    /// How long leftovers are kept: results for users who don't return, dead jobs, heartbeats of
    /// processes that are gone.
    public var leftoverAge: Duration = .seconds(90 * 86_400)
    /// The directory of archive files; `none`: days are dropped, even if others were archived
    /// before. With a limit, the settings reject a blank; here a blank drops days unless others
    /// were archived before.
    public var archiveDirectory = ""

    /// How long renaming a partition waits for transactions that use it; new ones queue behind
    /// it.
    var renameWaitMax: Duration = .seconds(1)
    /// How long detaching waits for transactions that use the parent; nothing queues behind it.
    var detachWaitMax: Duration = .seconds(60)
    /// The trusted today is at most this many days after the newest day with a reading.
    public var quietDaysMax = 7
    /// Days of each table that are dropped without a file in one night, so that a mistake costs a
    /// few days, not all of them.
    var droppedDaysMax = 3

    /// Keeps everything for ever.
    public init() {}

    /// Whether any day is to leave.
    public var isOn: Bool { readingDays > 0 || rollupDays > 0 }

    /// The maximum age of an accepted reading; nil: readings stay for ever.
    ///
    /// One day less than readings stay. So at least a day passes between a day's last accepted
    /// reading and its leaving. Replays of days that left are rejected: they would not be
    /// recognised and would be stored again.
    public var acceptedAgeMax: Duration? {
        readingDays > 0 ? .seconds((readingDays - 1) * 86_400) : nil
    }

    /// The directory of archive files; nil: none.
    public var directoryPath: String? {
        guard case .directory(let path) = destination else { return nil }
        return path
    }

    /// The meaning of ``archiveDirectory``.
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
        /// Whether it was set explicitly.
        case nowhere(isMeant: Bool)
    }
}
