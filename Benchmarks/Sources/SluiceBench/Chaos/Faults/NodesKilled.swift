import Fleet

/// Two Sluices behind nginx. One of them is killed, several times in a row; sometimes both are.
struct NodesKilled: Fault {
    let name = "nodes-kill"
    let summary = "two Sluices behind nginx, kill -9 of either, several times in a row"
    let plan = RigPlan(nodes: 2, hasBalancer: true, pace: .full)

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        var both = 0
        let times = Int(2 + random.next() % 3)
        for _ in 0..<times {
            let first = random.isHeads() ? 0 : 1
            rig.nodes[first].kill9()
            rig.hold(seconds: random.seconds(0.2...1))
            let takesOther = random.next() % 4 == 0
            if takesOther {
                rig.nodes[1 - first].kill9()
                both += 1
            }
            try rig.nodes[first].start()
            if takesOther { try rig.nodes[1 - first].start() }
            rig.hold(seconds: random.seconds(0.3...1.5))
        }
        return "\(times) times" + (both > 0 ? ", \(both) of them both" : "")
    }
}
