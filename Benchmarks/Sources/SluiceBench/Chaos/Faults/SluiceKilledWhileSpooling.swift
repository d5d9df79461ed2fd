import Fleet

/// kill -9 of Sluice while the database is unreachable and batches go to the spool. Sluice is
/// started again before the database, or after it.
struct SluiceKilledWhileSpooling: Fault {
    let name = "kill-spooling"
    let summary = "kill -9 of Sluice while the database is stopped and batches are spooled"

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        try rig.database.stop(.fast)
        rig.hold(seconds: random.seconds(1.2...2.5))
        let spooled = rig.spooledText
        rig.nodes[0].kill9()
        let comesBackFirst = random.isHeads()
        if comesBackFirst {
            try rig.nodes[0].start()
            rig.hold(seconds: random.seconds(0.3...1.5))
        }
        try rig.database.start()
        if !comesBackFirst { try rig.nodes[0].start() }
        return "\(spooled) spooled before the kill"
    }
}
