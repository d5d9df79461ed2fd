import Fleet
import Foundation

/// Two Sluices behind nginx, restarted one after the other as in an update: SIGTERM, wait for the
/// end, start, wait until it is healthy and until nginx has forgotten that it was down. Then the
/// other.
struct NodesRestarted: Fault {
    let name = "nodes-rolling-restart"
    let summary = "two Sluices behind nginx, restarted one after the other"
    let plan = RigPlan(nodes: 2, hasBalancer: true, pace: .full)

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let unanswered = clients.unanswered
        for node in rig.nodes {
            try rig.restart(node)
            rig.hold(seconds: random.seconds(2...3.5))
        }
        let lost = clients.unanswered - unanswered
        if lost > 0 { rig.complain("\(lost) requests through nginx got no answer") }
        return "\(lost) unanswered"
    }
}
