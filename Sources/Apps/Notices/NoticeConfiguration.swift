/// How long notices are kept, and how often the table is read.
public struct NoticeConfiguration: Sendable {
    /// A node that is disconnected from the database for longer than this misses some.
    public var keptFor: Duration = .seconds(3600)
    /// The time between two sweeps of a node; all nodes sweep.
    public var sweepInterval: Duration = .seconds(300)
    /// The time between two looks at the table while no notification arrives.
    public var lookInterval: Duration = .seconds(5)

    /// The defaults.
    public init() {}
}
