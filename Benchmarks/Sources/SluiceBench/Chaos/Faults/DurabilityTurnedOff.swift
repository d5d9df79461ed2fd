import Fleet
import Foundation
import Oracle

/// Commits are made asynchronous, for the server or for Sluice's role. Then the server is killed
/// before its log writer has written what was acknowledged.
struct DurabilityTurnedOff: Fault {
    let name = "async-commit"
    let summary = "synchronous_commit off or local under load, then kill -9 of the whole server"
    let plan = RigPlan(pace: .full)

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let session = try rig.database.session()
        let value = random.isHeads() ? "off" : "local"
        let isOfRole = random.isHeads()
        if isOfRole {
            try session.execute("alter role sluice set synchronous_commit = \(value)")
            try rig.database.terminateSessions(session)
        } else {
            try session.execute("alter system set synchronous_commit = \(value)")
            try session.execute("select pg_reload_conf()")
        }
        rig.hold(seconds: random.seconds(0.3...1.5))
        let writer = try session.number(
            "select pid from pg_stat_activity where backend_type = 'walwriter'")
        rig.database.signal(writer, SIGSTOP)
        rig.hold(seconds: random.seconds(0.05...0.4))
        rig.database.signalAll(SIGKILL)
        rig.hold(seconds: random.seconds(0...1))
        try rig.database.start()
        let next = try rig.database.session()
        try next.execute("alter role sluice reset synchronous_commit")
        try next.execute("alter system reset synchronous_commit")
        try next.execute("select pg_reload_conf()")
        return "\(value) " + (isOfRole ? "for the role" : "for the server")
    }
}
