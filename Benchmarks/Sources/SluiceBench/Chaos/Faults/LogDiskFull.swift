import Fleet

/// The disk of the write-ahead log is full. PostgreSQL panics, can't recover without space, and
/// is started again once there is some.
struct LogDiskFull: Fault {
    let name = "full-log-disk"
    let summary = "the disk of the write-ahead log full: PANIC, space freed, started again"
    let plan = RigPlan(logDiskBytes: 192 << 20, pace: .full)

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        guard let disk = rig.logDisk else { preconditionFailure("BUG: no disk") }
        try disk.fill()
        let limit = ContinuousClock.now + .seconds(8)
        while rig.database.isRunning, ContinuousClock.now < limit { rig.hold(seconds: 0.05) }
        let hasPanicked = !rig.database.isRunning
        rig.hold(seconds: random.seconds(0.1...1))
        disk.relieve()
        if !rig.database.isRunning { try rig.database.start() }
        return hasPanicked ? "PANIC" : "did not stop"
    }
}
