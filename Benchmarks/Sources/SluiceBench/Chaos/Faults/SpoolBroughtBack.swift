import Fleet
import Foundation

/// The spool is copied while it holds readings, and replayed. Then the copy replaces it, as after
/// a restore of a node's disk: everything in the copy is already stored.
struct SpoolBroughtBack: Fault {
    let name = "old-spool"
    let summary = "an old copy of the spool, already replayed, is restored"

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let node = rig.nodes[0]
        let (spool, copy) = (node.directory + "/spool", node.directory + "/copy")
        let files = FileManager.default
        try rig.database.stop(.fast)
        rig.hold(seconds: random.seconds(1.2...2.5))
        let spooled = rig.spooledText
        node.kill9()
        try files.copyItem(atPath: spool, toPath: copy)
        try node.start()
        try rig.database.start()
        guard rig.awaitEmptySpool(seconds: 20) else {
            rig.complain("the spool does not become empty")
            return ""
        }
        let isKilled = random.isHeads()
        if isKilled { node.kill9() } else { node.stop() }
        // Only an empty spool is replaced: then everything acknowledged is in the database.
        if node.spoolIsEmpty {
            try files.removeItem(atPath: spool)
            try files.moveItem(atPath: copy, toPath: spool)
        }
        try node.start()
        return "\(spooled) spooled"
    }
}
