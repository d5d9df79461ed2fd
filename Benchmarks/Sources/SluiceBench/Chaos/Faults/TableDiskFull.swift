import Fleet

/// The disk of the tables is full (53100), while the write-ahead log has room.
struct TableDiskFull: Fault {
    let name = "full-table-disk"
    let summary = "the disk of the tables full, but not that of the write-ahead log"
    let plan = RigPlan(tableDiskBytes: 768 << 20)

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        guard let disk = rig.tableDisk else { preconditionFailure("BUG: no disk") }
        try disk.fill()
        rig.hold(seconds: random.seconds(1...4))
        disk.relieve()
        return ""
    }
}
