/// How many processes look into files, and what each may use.
public struct InspectorConfiguration: Sendable {
    /// Processes at once that read headers and metadata. Default 4.
    public var factsAtOnceMax = 4
    /// Processes at once that make thumbnails; those of one user are one less, but at least one.
    /// Default 2: the processes of one user leave room for another's.
    public var thumbnailsAtOnceMax = 2
    /// Requests that may wait for a thumbnail. Default 256.
    public var thumbnailsWaitingMax = 256
    /// The same of one user. Default 32.
    public var thumbnailsWaitingPerUserMax = 32
    /// Of a process that reads headers and metadata: 256 MiB, 5 s of a processor, 30 s.
    public var factsLimits = InspectionLimits(
        memoryBytesMax: 256 << 20, processorSecondsMax: 5, secondsMax: 30)
    /// Of a process that makes a thumbnail: 768 MiB, 10 s of a processor, 60 s. A progressive JPEG of
    /// 50 million pixels takes 500 MiB.
    public var thumbnailLimits = InspectionLimits(
        memoryBytesMax: 768 << 20, processorSecondsMax: 10, secondsMax: 60)
    /// Contents that are known to be of no use, and not tried again for ``faultAge``. Default 4096.
    public var faultsMax = 4096
    /// Default one hour: a process may also have been late because the machine was busy.
    public var faultAge: Duration = .seconds(3600)

    /// The defaults.
    public init() {}
}
