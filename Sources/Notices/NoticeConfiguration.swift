/// How long notices are kept and how often the table is looked at.
public struct NoticeConfiguration: Sendable {
    /// A node that is cut off from the database for longer than this misses some.
    public var keptFor: Duration = .seconds(3600)
    /// Between two sweeps of a node; all nodes sweep.
    public var sweepInterval: Duration = .seconds(300)
    /// Between two looks at the table while nobody says that there is something new.
    public var lookInterval: Duration = .seconds(5)

    /// The defaults.
    public init() {}
}
