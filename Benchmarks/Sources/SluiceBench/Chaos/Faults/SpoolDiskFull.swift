import Fleet

/// The database is unreachable and the spool's disk fills up, from the spool alone or from other
/// data as well. Then the database recovers, and the spool must drain although its disk is still
/// full.
struct SpoolDiskFull: Fault {
    let name = "full-spool-disk"
    let summary = "the spool's small disk full of spool or other data, the database stopped"
    let plan = RigPlan(
        spoolDiskBytes: 16 << 20,
        settings: [
            "SLUICE_BODY_BYTES_MAX": "1MiB", "SLUICE_IN_FLIGHT_BYTES_MAX": "64MiB",
            "SLUICE_SPOOL_RECORD_BYTES_MAX": "2MiB", "SLUICE_SPOOL_SEGMENT_BYTES": "4MiB",
            "SLUICE_SPOOL_FREE_BYTES_MIN": "0",
        ], pace: .full)

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        guard let disk = rig.spoolDisk else { preconditionFailure("BUG: no disk") }
        try rig.database.stop(.fast)
        rig.hold(seconds: random.seconds(0.5...1.5))
        let isShared = random.isHeads()
        if isShared { try disk.fill() }
        rig.hold(seconds: random.seconds(1...2.5))
        let spooled = rig.spooledText
        try rig.database.start()
        // Under full load the replay gets only its share, so here it only has to make progress.
        // Every round checks that the spool is empty in the end.
        let limit = ContinuousClock.now + .seconds(120)
        var most = 0
        while ContinuousClock.now < limit {
            if let left = rig.spooledReadings {
                most = max(most, left)
                if left <= most / 10 * 9 { break }
            }
            rig.hold(seconds: 0.05)
        }
        if rig.spooledReadings.map({ $0 > most / 10 * 9 }) ?? true, most > 0 {
            rig.complain("the spool does not drain while its disk is full")
        }
        if isShared { disk.relieve() }
        return "\(spooled) spooled" + (isShared ? ", disk filled with other data" : "")
    }
}
