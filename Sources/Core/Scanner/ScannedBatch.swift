/// A whole batch, scanned. Of the body only the rows and the quarantined readings are retained.
public struct ScannedBatch: Sendable {
    /// Readings received.
    public let received: Int
    /// All quarantined elements, not only those in ``problems``.
    public let quarantined: Int
    /// The first 100 quarantined elements, in order.
    public let problems: [Problem]
    /// What was sent and is not read.
    public let ignored: IgnoredFields
    /// The names of metrics for which codes are needed, each once; see ``resolved(_:)``. The lanes
    /// ask for them when they write.
    public let metricNames: [String]
    /// The envelope's device first (even without rows), then overriding devices in the order of
    /// their first valid reading. Without an envelope: the devices in the order of their first
    /// reading; readings that name none, all quarantined, come last.
    public let deviceBatches: DeviceBatchList

    /// The most problems that an answer names.
    public static let problemsMax = 100

    /// Memory it holds.
    public var memory: Int { deviceBatches.reduce(0) { $0 + $1.memory } }
}
