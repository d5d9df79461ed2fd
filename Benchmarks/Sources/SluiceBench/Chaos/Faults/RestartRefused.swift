import Fleet
import Foundation
import Oracle

/// Sluice is killed and started while the database is reachable but rejects writes or hangs.
/// Sluice must listen at once and spool.
struct RestartRefused: Fault {
    let name = "restart-refused"
    let summary = "kill -9 and start of Sluice while the database refuses statements or hangs"

    private enum Condition: CaseIterable {
        case readOnly, migrationsLocked, tableLocked, shortStatements, frozen
    }
    private static let startSecondsMax = 20.0

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let condition = Condition.allCases[Int(random.next() % UInt64(Condition.allCases.count))]
        let session = try rig.database.session()
        switch condition {
        case .readOnly:
            try session.execute("alter role sluice set default_transaction_read_only = on")
        case .shortStatements: try session.execute("alter role sluice set statement_timeout = 1")
        case .migrationsLocked: try session.execute("begin; lock table sluice.migration")
        case .tableLocked: try session.execute("begin; lock table sluice.gps")
        case .frozen: rig.database.signalAll(SIGSTOP)
        }
        let node = rig.nodes[0]
        node.kill9()
        try node.start()
        let limit = Date(timeIntervalSinceNow: Self.startSecondsMax)
        while !node.probe.isListening, Date() < limit { rig.hold(seconds: 0.02) }
        if !node.probe.isListening {
            rig.complain("Sluice does not listen while the database refuses: \(node.tail())")
        }
        rig.hold(seconds: random.seconds(0.5...3))
        switch condition {
        case .readOnly: try session.execute("alter role sluice reset default_transaction_read_only")
        case .shortStatements: try session.execute("alter role sluice reset statement_timeout")
        case .migrationsLocked, .tableLocked: try session.execute("rollback")
        case .frozen: rig.database.signalAll(SIGCONT)
        }
        return "\(condition)"
    }
}
