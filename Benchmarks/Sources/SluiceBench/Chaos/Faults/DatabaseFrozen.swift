import Fleet
import Foundation

/// Every process of the database is frozen for a while.
struct DatabaseFrozen: Fault {
    let name = "freeze-database"
    let summary = "SIGSTOP to all database processes for some seconds, then SIGCONT"

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let seconds = random.seconds(0.5...7)
        rig.database.signalAll(SIGSTOP)
        rig.hold(seconds: seconds)
        rig.database.signalAll(SIGCONT)
        return String(format: "%.1f s", seconds)
    }
}
