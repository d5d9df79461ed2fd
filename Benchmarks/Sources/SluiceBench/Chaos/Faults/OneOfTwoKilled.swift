import Fleet

/// Two Sluices on one database. One is killed, and its clients fail over to the other.
struct OneOfTwoKilled: Fault {
    let name = "kill-one-of-two"
    let summary = "two Sluices on one database, kill -9 of one; its clients go to the other"
    let plan = RigPlan(nodes: 2, pace: .full)

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let node = rig.nodes[random.isHeads() ? 0 : 1]
        node.kill9()
        rig.hold(seconds: random.seconds(0.2...1.5))
        try node.start()
        return ""
    }
}
