import Foundation
public import S3

/// How long data is kept, and where it goes then.
public struct RetentionConfiguration: Sendable {
    /// Days that readings stay in the tables; 0: for ever. 1 is invalid: see ``acceptedAgeMax``.
    public var readingDays = 0
    /// Days that hourly sums stay; 0: for ever. Not less than readings, from which they are made.
    public var rollupDays = 0
    /// Days after its end when a day of readings is sealed; 0 and nil: never. Nil: it is not set.
    public var sealAfterDays: Int?
    /// Days that readings stay in quarantine; 0: for ever.
    public var quarantineDays = 0
    /// How long leftovers are kept: results for users who don't return, dead jobs, heartbeats of
    /// processes that are gone.
    public var leftoverAge: Duration = .seconds(90 * 86_400)
    /// Where archive files are: a directory's path, or the text of a ``S3/StoreLocation``; `none`: days
    /// are dropped, even if others were archived before. With a limit, the settings reject a blank;
    /// here a blank drops days unless others were archived before.
    public var archiveDirectory = ""
    /// The keys that sign requests to a bucket; nil for a server that needs none.
    public var credentials: S3Credentials?

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

    /// Whether ``archiveDirectory`` can be used: nothing, `none`, a path or the text of a location.
    public static func isDestination(_ text: String) -> Bool {
        guard text == text.trimmingCharacters(in: .whitespaces) else { return false }
        return !hasScheme(text) || (try? StoreLocation.parse(text)) != nil
    }

    private static func hasScheme(_ text: String) -> Bool {
        let scheme = text.prefix { $0 != ":" }
        return scheme.count < text.count && ["s3", "file"].contains(scheme.lowercased())
    }

    /// The directory of archive files; nil: none, or a bucket.
    public var directoryPath: String? {
        guard case .store(.directory(let path)) = destination else { return nil }
        return path
    }

    /// Whether archive files are in a bucket.
    public var isBucket: Bool {
        if case .store(.bucket) = destination { return true }
        return false
    }

    /// The archive; nil: none is set.
    public var archive: Archive? {
        guard case .store(let location) = destination else { return nil }
        switch location {
        case .directory(let path): return Archive(ArchiveDirectory(path))
        case .bucket(let bucket):
            return Archive(ArchiveBucket(bucket, credentials: credentials))
        }
    }

    /// The meaning of ``archiveDirectory``.
    var destination: Destination {
        switch archiveDirectory {
        case "": return .nowhere(isMeant: false)
        case "none": return .nowhere(isMeant: true)
        case let text where Self.hasScheme(text):
            guard let location = try? StoreLocation.parse(text) else {
                preconditionFailure("BUG: a place for archives that was checked")
            }
            return .store(location)
        case let path: return .store(.directory(path: path))
        }
    }

    /// Where days go.
    enum Destination: Equatable {
        case store(StoreLocation)
        /// Whether it was set explicitly.
        case nowhere(isMeant: Bool)
    }
}
