import Fleet

/// kill -9 of Sluice, which a supervisor starts again.
struct SluiceKilled: Fault {
    let name = "kill-sluice"
    let summary = "kill -9 of Sluice under full load, started again on the same directory"
    let plan = RigPlan(pace: .full)

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        rig.nodes[0].kill9()
        rig.hold(seconds: random.seconds(0...0.3))
        try rig.nodes[0].start()
        return ""
    }
}
