import Foundation

/// The environment that a fault needs.
struct RigPlan: Sendable {
    /// Number of Sluice processes on one database.
    var nodes = 1
    /// nginx is in front of the Sluices, and clients connect only to it.
    var hasBalancer = false
    /// The Sluices run an earlier release.
    var startsOlder = false
    /// A standby follows the database, and Sluice knows both.
    var hasStandby = false
    /// A ``Relay`` is between Sluice and the database's socket.
    var hasRelay = false
    /// PgBouncer is between Sluice and the database's socket.
    var hasPooler = false
    /// Size of a separate disk for the first node's spool, in bytes.
    var spoolDiskBytes: Int?
    /// Size of a separate disk for the write-ahead log, in bytes.
    var logDiskBytes: Int?
    /// Size of a separate disk for the tables, in bytes.
    var tableDiskBytes: Int?
    /// Sluice's clock can be set.
    var hasClock = false
    /// Settings of Sluice.
    var settings: [String: String] = [:]
    var pace = Pace.steady

    enum Pace: Sendable {
        /// At a fixed rate, which the run's options give.
        case steady
        /// As fast as answers arrive.
        case full
    }

    /// The environment variable with the path of a Sluice of an earlier release.
    static let olderBinaryKey = "SLUICE_OLDER_BINARY"

    static var olderBinary: String? {
        ProcessInfo.processInfo.environment[olderBinaryKey].flatMap {
            FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil
        }
    }

    /// The standby that takes over may lack commits.
    var commitsMayBeUndone = false
    /// After the fault the rig can't be used for another round.
    var isForOneRound: Bool { startsOlder || hasStandby }

    var needsDisk: Bool {
        spoolDiskBytes != nil || logDiskBytes != nil || tableDiskBytes != nil
    }
}
