import Fleet
import Foundation

/// SIGHUP of both Sluices. Each must say that it has read its configuration again.
struct ConfigurationReloaded: Fault {
    let name = "reload"
    let summary = "SIGHUP of both Sluices"

    private static let secondsMax = 10.0

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        for node in rig.nodes where node.isMeantToRun {
            let end = Date(timeIntervalSinceNow: Self.secondsMax)
            // Before it serves, the signal would end it.
            while !node.probe.isHealthy, Date() < end { rig.hold(seconds: 0.1) }
            let before = node.reloads
            node.signal(SIGHUP)
            while node.reloads == before {
                guard Date() < end else {
                    rig.complain("node \(node.number) does not reload: \(node.tail())")
                    break
                }
                rig.hold(seconds: 0.1)
            }
        }
        return ""
    }
}
