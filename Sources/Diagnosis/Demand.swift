/// What the configuration asks for.
public struct Demand: Sendable {
    /// Connections to PostgreSQL of one server.
    public var databaseConnections = 20
    /// Open files: clients' connections, and some.
    public var openFiles = 1000
    /// Memory that one server may take at the most.
    public var memoryBytes = 0
    /// What the kernel is to hold of connections that are not accepted yet.
    public var backlog = 0
    /// What the spool may take; 0: there is to be none.
    public var spoolBytesMax = 0
    /// What the spool leaves free.
    public var spoolFreeBytesMin = 0
    /// Days that are made ahead.
    public var daysAhead = 7

    /// Nothing much.
    public init() {}
}
