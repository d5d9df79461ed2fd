import Fleet

/// kill -9 of the second of two Sluices, half the time while the database is unreachable and it
/// spools.
struct SecondNodeKilled: Fault {
    let name = "kill-second"
    let summary = "kill -9 of the second Sluice, half the time while it spools"

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let isSpooling = random.isHeads()
        if isSpooling {
            try rig.database.stop(.fast)
            rig.hold(seconds: random.seconds(1...3))
        }
        rig.nodes[1].kill9()
        rig.hold(seconds: random.seconds(0...2))
        if isSpooling { try rig.database.start() }
        try rig.nodes[1].start()
        return isSpooling ? "while it spools" : ""
    }
}
