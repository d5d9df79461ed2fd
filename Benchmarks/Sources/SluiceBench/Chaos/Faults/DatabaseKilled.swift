import Fleet

/// kill -9 of the postmaster; its backends end when they notice, and the next start recovers.
struct DatabaseKilled: Fault {
    let name = "kill-database"
    let summary = "kill -9 of the database's postmaster under full load, started again"
    let plan = RigPlan(pace: .full)

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        rig.database.kill9()
        rig.hold(seconds: random.seconds(0.1...2.5))
        try rig.database.start()
        return ""
    }
}
