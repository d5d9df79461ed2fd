import Postgres

/// The spool's contents and state.
public struct SpoolFacts: Sendable {
    /// The spool's directory.
    public var path: String
    /// Number of files of all kinds.
    public var files = 0
    /// Their size on disk.
    public var bytes = 0
    /// Pending readings and units of work; nil if there is too much to read.
    public var units: Int?
    /// Age of the oldest pending record.
    public var oldestSeconds: Int?
    /// Files that were moved aside because of damage.
    public var setAside: [String] = []
    /// Those of ``setAside`` that hold records and are intact.
    public var setAsideIntact: [String] = []
    /// Files that are damaged and were not moved aside yet.
    public var damaged: [String] = []
    /// Files that can't be read completely now, and why.
    public var unread: [String] = []
    /// Why the spool can't be examined; nil: it can.
    public var fault: String?

    /// An empty spool.
    public init(path: String) { self.path = path }
}
