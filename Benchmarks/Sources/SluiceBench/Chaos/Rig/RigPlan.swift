import Foundation

/// What a fault needs around it.
struct RigPlan: Sendable {
    /// Sluice processes on one database.
    var nodes = 1
    /// nginx stands before the Sluices, and clients know only it.
    var hasBalancer = false
    /// The Sluices are of an earlier release.
    var startsOlder = false
    /// A standby follows the database, and Sluice knows of both.
    var hasStandby = false
    /// Something stands between Sluice and the database's socket.
    var hasRelay = false
    /// PgBouncer stands between Sluice and the database's socket.
    var hasPooler = false
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

    /// Names the environment variable with the path of a Sluice of an earlier release.
    static let olderBinaryKey = "SLUICE_OLDER_BINARY"

    static var olderBinary: String? {
        ProcessInfo.processInfo.environment[olderBinaryKey].flatMap {
            FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil
        }
    }

    /// A standby takes over that may lack commits.
    var commitsMayBeUndone = false
    /// What the fault leaves is no beginning for another one.
    var isForOneRound: Bool { startsOlder || hasStandby }

    var needsDisk: Bool {
        spoolDiskBytes != nil || logDiskBytes != nil || tableDiskBytes != nil
    }
}
