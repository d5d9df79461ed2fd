/// What a fault needs around it.
struct RigPlan: Sendable {
    /// Sluice processes on one database.
    var nodes = 1
    /// Something stands between Sluice and the database's socket.
    var hasRelay = false
    /// Bytes of a disk of its own for the first node's spool.
    var spoolDiskBytes: Int?
    /// Bytes of a disk of its own for the write-ahead log.
    var logDiskBytes: Int?
    /// Bytes of a disk of its own for the tables.
    var tableDiskBytes: Int?
    /// Sluice's clock can be set.
    var hasClock = false
    /// Settings of Sluice.
    var settings: [String: String] = [:]
    var pace = Pace.steady

    enum Pace: Sendable {
        /// By the clock: the rate of the run's options.
        case steady
        /// As fast as answers come.
        case full
    }

    var needsDisk: Bool {
        spoolDiskBytes != nil || logDiskBytes != nil || tableDiskBytes != nil
    }
}
