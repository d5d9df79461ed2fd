import Fleet
import Foundation

/// SIGSTOP of Sluice: clients time out, sessions stay open, clocks jump.
struct SluiceFrozen: Fault {
    let name = "freeze-sluice"
    let summary = "SIGSTOP of Sluice for some seconds; its sessions terminated in half the rounds"

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let seconds = random.seconds(0.5...8)
        rig.nodes[0].signal(SIGSTOP)
        rig.hold(seconds: seconds / 2)
        let terminates = random.isHeads()
        if terminates { try rig.database.terminateSessions(rig.database.session()) }
        rig.hold(seconds: seconds / 2)
        rig.nodes[0].signal(SIGCONT)
        return String(format: "for %.1f s", seconds) + (terminates ? ", sessions terminated" : "")
    }
}
