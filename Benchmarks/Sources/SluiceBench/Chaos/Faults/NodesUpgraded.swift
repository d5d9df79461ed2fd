import Fleet
import Foundation
import Oracle

/// Two Sluices of an older release behind nginx, upgraded one after the other under load. In
/// between, the older one works with the newer schema and loses its connections.
struct NodesUpgraded: Fault {
    let name = "nodes-upgrade"
    let summary = "two older Sluices behind nginx, upgraded one after the other"
    let plan = RigPlan(nodes: 2, hasBalancer: true, startsOlder: true, pace: .full)

    var obstacle: String? {
        Balancer.obstacle
            ?? (RigPlan.olderBinary == nil
                ? "\(RigPlan.olderBinaryKey) does not name a Sluice of an earlier release" : nil)
    }

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        rig.nodes[0].replaceBinary(rig.binary)
        try rig.restart(rig.nodes[0])
        let session = try rig.database.session()
        try session.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity "
                + "where application_name like 'sluice lane%'")
        rig.hold(seconds: random.seconds(2...4))
        let spooled = rig.spooledText
        rig.nodes[1].replaceBinary(rig.binary)
        try rig.restart(rig.nodes[1])
        return "\(spooled) readings in the spool between the two upgrades"
    }
}
