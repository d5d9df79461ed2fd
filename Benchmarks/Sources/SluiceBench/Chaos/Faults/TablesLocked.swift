import Fleet
import Oracle
import Foundation

/// Another session locks a table exclusively for some seconds.
struct TablesLocked: Fault {
    let name = "lock-table"
    let summary = "LOCK TABLE in ACCESS EXCLUSIVE mode for some seconds"

    private static let tables = [
        "sluice.gps", "sluice.vital", "sluice.event", "sluice.device_state", "sluice.device",
        "sluice.quarantine",
    ]

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let table = Self.tables[Int(random.next() % UInt64(Self.tables.count))]
        let seconds = random.seconds(0.5...6)
        let session = try rig.database.session()
        try session.execute("begin; lock table \(table) in access exclusive mode")
        rig.hold(seconds: seconds)
        try session.execute("rollback")
        return String(format: "%@ for %.1f s", table, seconds)
    }
}
