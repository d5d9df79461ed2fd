import Fleet

/// Sluice connects through PgBouncer, which is killed, or switched to transaction mode and back.
struct PoolerSwitched: Fault {
    let name = "pooler"
    let summary = "PgBouncer in front of the database: killed, or in transaction mode for a while"
    let plan = RigPlan(hasPooler: true)
    var obstacle: String? { Pooler.obstacle }

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        guard let pooler = rig.pooler else { preconditionFailure("BUG: no pooler") }
        let isShared = random.next() % 4 != 0
        pooler.stop()
        rig.hold(seconds: random.seconds(0...1))
        if isShared {
            try pooler.start(mode: "transaction")
            rig.hold(seconds: random.seconds(0.5...4))
            pooler.stop()
        }
        try pooler.start(mode: "session")
        return isShared ? "in transaction mode" : "killed"
    }
}
