import Fleet

/// The second Sluice is stopped, stays away for a while, and comes back.
struct SecondNodeAway: Fault {
    let name = "second-away"
    let summary = "SIGTERM of the second Sluice, started again some seconds later"

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let seconds = random.seconds(2...15)
        let end = rig.nodes[1].stop()
        if end != .exited(0) {
            rig.complain("SIGTERM: \(end.map(\.description) ?? "it did not end")")
        }
        rig.hold(seconds: seconds)
        try rig.nodes[1].start()
        return "\(Int(seconds)) s"
    }
}
