import Fleet

/// SIGTERM under full load: Sluice answers every request that it received, then exits.
struct SluiceStopped: Fault {
    let name = "stop-sluice"
    let summary = "SIGTERM to Sluice under full load: it answers all requests and exits with 0"
    let plan = RigPlan(pace: .full)

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let before = clients.unanswered
        let begun = ContinuousClock.now
        let end = rig.nodes[0].stop(seconds: 30)
        let took = (ContinuousClock.now - begun) / .milliseconds(1)
        // The generator can still read answers that arrived before the process ended.
        rig.hold(seconds: 0.2)
        let unanswered = clients.unanswered - before
        if end != .exited(0) {
            rig.complain(
                "SIGTERM: \(end.map(\.description) ?? "still running after 30 s"); its log:\n"
                    + rig.nodes[0].tail())
        }
        if unanswered > 0 { rig.complain("SIGTERM: \(unanswered) requests got no answer") }
        try rig.nodes[0].start()
        return "exit after \(Int(took)) ms, \(unanswered) unanswered"
    }
}
