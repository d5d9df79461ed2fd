import Fleet

/// kill -9 of Sluice while it replays its spool.
struct SluiceKilledWhileReplaying: Fault {
    let name = "kill-replaying"
    let summary = "kill -9 of Sluice while it replays its spool"
    let plan = RigPlan(
        // Small groups, so that the replay takes long enough to be hit.
        settings: [
            "SLUICE_REPLAY_GROUP_BYTES_MAX": "16KiB", "SLUICE_SPOOL_GROUP_BYTES_MAX": "32KiB",
            "SLUICE_REPLAY_BYTES_MAX": "256KiB",
        ])

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        try rig.database.stop(.fast)
        rig.hold(seconds: random.seconds(1.5...3))
        let spooled = rig.spooledReadings ?? 0
        try rig.database.start()
        // Wait until some readings are replayed, but not all.
        for _ in 0..<400 {
            if let left = rig.spooledReadings, left < spooled { break }
            rig.hold(seconds: 0.005)
        }
        rig.hold(seconds: random.seconds(0...0.05))
        let left = rig.spooledText
        rig.nodes[0].kill9()
        try rig.nodes[0].start()
        return "\(left) of \(spooled) left at the kill"
    }
}
