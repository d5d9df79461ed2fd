import Fleet

/// `pg_ctl stop` in one of its modes, then start.
struct DatabaseStopped: Fault {
    let mode: ChaosDatabase.StopMode

    var name: String { "stop-\(mode.rawValue)" }
    var summary: String {
        mode == .smart
            ? "pg_ctl stop -m smart, which waits for Sluice's sessions, then fast; started again"
            : "pg_ctl stop -m \(mode.rawValue), started again"
    }

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        var note = ""
        // In smart mode new connections are refused, and existing ones continue.
        if try !rig.database.stop(mode, seconds: mode == .smart ? 2 : 30) {
            note = "still running after 2 s"
            try rig.database.stop(.fast)
        }
        rig.hold(seconds: random.seconds(0.1...2))
        try rig.database.start()
        return note
    }
}
