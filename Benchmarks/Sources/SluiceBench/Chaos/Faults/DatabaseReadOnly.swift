import Fleet
import Oracle

/// The database rejects writes for some seconds, as a standby does before its failover.
struct DatabaseReadOnly: Fault {
    let name = "read-only"
    let summary =
        "default_transaction_read_only on and reload; sessions terminated in half the rounds"

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let session = try rig.database.session()
        try session.execute("alter system set default_transaction_read_only = on")
        try session.execute("select pg_reload_conf()")
        let terminates = random.isHeads()
        if terminates { try rig.database.terminateSessions(session) }
        rig.hold(seconds: random.seconds(0.5...4))
        try session.execute("alter system reset default_transaction_read_only")
        try session.execute("select pg_reload_conf()")
        return terminates ? "sessions terminated" : ""
    }
}
