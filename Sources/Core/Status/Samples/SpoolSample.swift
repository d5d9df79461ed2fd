import Instruments

/// The spool at one moment.
public struct SpoolSample: Equatable, Sendable {
    /// Size of its files.
    public var bytes = 0.0
    /// Maximum size of its files.
    public var bytesMax = 0.0
    /// Files with pending records.
    public var segments = 0.0
    /// Pending readings.
    public var waitingReadings = 0.0
    /// Pending units of work.
    public var waitingUnits = 0.0
    /// Arrival of the oldest pending record; nil: there is none.
    public var oldestUnixSeconds: Int64?
    /// Readings written since the start.
    public var written = 0.0
    /// Readings replayed since the start.
    public var replayed = 0.0
    /// Unreadable readings since the start; their file is kept.
    public var setAsideReadings = 0.0
    /// Groups that could not be written, since the start.
    public var failures = 0.0
    /// Batches refused for lack of space, since the start.
    public var refused = 0.0

    /// An empty spool.
    public init() {}
}
