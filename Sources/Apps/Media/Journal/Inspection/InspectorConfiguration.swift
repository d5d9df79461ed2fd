public import Inspections
import Synchronization

/// How many processes inspect files, and what each may use.
public struct InspectorConfiguration: Sendable {
    /// Processes at once that report on uploads. Default 4. One address, or one key, may have one
    /// fewer, and one user another one fewer, but each at least one; so each leaves room for
    /// others.
    public var reportsAtOnceMax = 4
    /// Processes at once that report on the pictures of captures, for jobs. Default 2.
    public var picturesAtOnceMax = 2
    /// Requests that may wait for a report, of each of these. Default 1024, of which one address
    /// may have four fifths.
    public var reportsWaitingMax = 1024
    /// Waiting requests of one user. Default 32.
    public var reportsWaitingPerUserMax = 32
    /// Processor time that the files of one user may take in an hour, in seconds; 0 means no limit.
    /// It refills evenly; a user with none left gets a 429 for uploads and new thumbnails. An
    /// address whose clients need no credentials has eight times as much for all of them. Default
    /// 300: some thousands of uploads, or a thousand thumbnails of photos.
    public var secondsPerHour = 300
    /// Processes at once that make thumbnails. Default 3. One address may have one fewer, and one
    /// user's files another one fewer, but each at least one; so each leaves room for others.
    public var thumbnailsAtOnceMax = 3
    /// Requests that may wait for a thumbnail. Default 256.
    public var thumbnailsWaitingMax = 256
    /// Waiting requests of one user. Default 32.
    public var thumbnailsWaitingPerUserMax = 32
    /// Limits of a process that reports on a file: 256 MiB, 5 s of processor time, 30 s.
    public var reportLimits = InspectionLimits(
        memoryBytesMax: 256 << 20, processorSecondsMax: 5, secondsMax: 30)
    /// Limits of a process that makes a thumbnail: 768 MiB, 10 s of processor time, 60 s. A
    /// progressive JPEG of 50 million pixels takes 500 MiB.
    public var thumbnailLimits = InspectionLimits(
        memoryBytesMax: 768 << 20, processorSecondsMax: 10, secondsMax: 60)
    /// Contents that have failed and are not tried again for ``faultAge``. Default 4096.
    public var faultsMax = 4096
    /// Default one hour: a process may also have timed out because the machine was busy.
    public var faultAge: Duration = .seconds(3600)

    /// The defaults.
    public init() {}
}
