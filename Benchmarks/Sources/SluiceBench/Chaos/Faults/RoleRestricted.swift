import Fleet
import Oracle

/// Sluice's role is changed while it runs: it becomes read-only, or gets very low limits.
struct RoleRestricted: Fault {
    let name = "role-settings"
    let summary = "ALTER ROLE: read-only, timeouts of 1 ms or a low work_mem; sessions terminated"

    private static let settings = [
        "default_transaction_read_only = on", "statement_timeout = 1", "lock_timeout = 1",
        "idle_in_transaction_session_timeout = 1", "work_mem = 64",
    ]

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let session = try rig.database.session()
        let setting = Self.settings[Int(random.next() % UInt64(Self.settings.count))]
        try session.execute("alter role sluice set \(setting)")
        try rig.database.terminateSessions(session)
        rig.hold(seconds: random.seconds(0.5...4))
        let name = setting.prefix { $0 != " " }
        try session.execute("alter role sluice reset \(name)")
        return setting
    }
}
