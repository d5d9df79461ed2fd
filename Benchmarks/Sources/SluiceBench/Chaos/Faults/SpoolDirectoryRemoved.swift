import Fleet
import Foundation

/// The spool's directory is removed or moved while batches go there. What was acknowledged is in
/// files that are still open. Later batches must not be acknowledged from there.
struct SpoolDirectoryRemoved: Fault {
    let name = "remove-spool"
    let summary = "the spool's directory removed or moved while the database is stopped"

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let node = rig.nodes[0]
        let spool = node.directory + "/spool"
        try rig.database.stop(.fast)
        rig.hold(seconds: random.seconds(1.2...2))
        let spooled = rig.spooledText
        let isMoved = random.isHeads()
        if isMoved {
            try FileManager.default.moveItem(atPath: spool, toPath: node.directory + "/elsewhere")
        } else {
            try FileManager.default.removeItem(atPath: spool)
        }
        rig.hold(seconds: random.seconds(0.5...2))
        try rig.database.start()
        // The files are lost when the process ends, so it must not end before.
        guard rig.awaitEmptySpool(seconds: 120) else {
            rig.complain("the readings of the removed directory are not replayed from open files")
            return spooled + " spooled"
        }
        // A new process makes the directory again, as the old one's message says.
        try rig.restart(node)
        try? FileManager.default.removeItem(atPath: node.directory + "/elsewhere")
        return "\(spooled) spooled, " + (isMoved ? "moved" : "removed")
    }
}
