/// What the configuration requires.
public struct Demand: Sendable {
    /// Maximum number of PostgreSQL connections of one server.
    public var databaseConnections = 20
    /// Maximum number of open files: clients' connections and a reserve.
    public var openFiles = 1000
    /// The limits that the server lowers because it may not open as many files, each with its value
    /// and its configured value.
    public var loweredLimits: [String] = []
    /// Open files without which the server does not start; nil: it has them.
    public var openFilesMin: Int?
    /// Maximum memory of one server; 0: unknown.
    public var memoryBytes = 0
    /// Length of the queue of connections that are not accepted yet; 0: unknown.
    public var backlog = 0
    /// Maximum size of the spool; 0: it is switched off.
    public var spoolBytesMax = 0
    /// Disk space that the spool leaves free.
    public var spoolFreeBytesMin = 0

    /// The configured number of lanes for rows; nil: chosen automatically.
    public var rowLanes: Int?
    /// On Citus, lanes connect to the nodes directly.
    public var lanesGoToNodes = true

    /// Requirements of a small server.
    public init() {}
}
