import Fleet
import Foundation
import Oracle

/// Two Sluices behind nginx, and a newer Sluice that has migrated their database. The old ones
/// may continue after the migration, or are too old for it. In both cases they lose their
/// connections. In the end the newer migration is removed. For these binaries this is like an
/// upgrade: the schema fits them again.
struct NodesMigrated: Fault {
    let name = "nodes-migrate"
    let summary = "two Sluices behind nginx: a newer schema is applied, their sessions terminated"
    let plan = RigPlan(nodes: 2, hasBalancer: true, pace: .full)

    private static let attempts = 40
    private static let spoolSecondsMax = 10.0

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let session = try rig.database.session()
        let leavesBehind = random.isHeads()
        try migrate(session, leavesBehind: leavesBehind, rig)
        rig.hold(seconds: random.seconds(0.2...1))
        try session.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity "
                + "where application_name like 'sluice%' and pid <> pg_backend_pid()")
        var note = "not too old for the schema"
        if leavesBehind {
            note = "too old for the schema, \(spooled(rig)) readings in the spool"
            refuseStart(of: rig.nodes[random.isHeads() ? 0 : 1], rig)
        } else {
            rig.hold(seconds: random.seconds(0.5...1.5))
            try rig.restart(rig.nodes[random.isHeads() ? 0 : 1])
        }
        try session.execute("delete from sluice.migration where name = 'newer'")
        try session.execute("alter table sluice.device_state drop column newer")
        for node in rig.nodes where !node.isMeantToRun { try node.start() }
        return note
    }

    /// Migrates as the newer binary does: it waits only briefly for the lock, and repeats the
    /// whole migration after a pause.
    private func migrate(_ session: Session, leavesBehind: Bool, _ rig: Rig) throws {
        for attempt in 1...Self.attempts {
            do {
                try session.execute(
                    """
                    begin;
                    set local lock_timeout = '500ms';
                    alter table sluice.device_state add newer integer;
                    insert into sluice.migration (number, name, checksum, oldest_binary)
                    select max(number) + 1, 'newer', '', max(number) + \(leavesBehind ? 1 : 0)
                    from sluice.migration;
                    commit
                    """)
                return
            } catch {
                guard attempt < Self.attempts else { throw error }
                try session.execute("rollback")
                rig.hold(seconds: 0.2)
            }
        }
    }

    /// Both Sluices must spool, because their lanes may not connect.
    private func spooled(_ rig: Rig) -> Int {
        let limit = Date(timeIntervalSinceNow: Self.spoolSecondsMax)
        while Date() < limit {
            rig.hold(seconds: 0.1)
            let spooled = rig.nodes.compactMap { $0.probe.state?.spooledReadings }
            if spooled.count == rig.nodes.count, spooled.allSatisfy({ $0 > 0 }) {
                return spooled.reduce(0, +)
            }
        }
        rig.complain("a Sluice that is too old for the schema does not spool")
        return rig.spooledReadings ?? 0
    }

    private func refuseStart(of node: Node, _ rig: Rig) {
        node.stop()
        do {
            let said = try node.startInVain()
            if !said.contains("use the newer sluice") {
                rig.complain("a Sluice that is too old starts, or gives no reason: \(said)")
            }
        } catch {
            rig.complain("\(error)")
        }
    }
}
