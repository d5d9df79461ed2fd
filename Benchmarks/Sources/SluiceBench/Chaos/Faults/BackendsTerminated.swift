import Fleet
import Oracle
import Foundation

/// Repeated `pg_terminate_backend` of the lanes' backends while they are in a COPY.
struct BackendsTerminated: Fault {
    let name = "terminate-backends"
    let summary = "pg_terminate_backend of the lanes during COPY, repeatedly"
    let plan = RigPlan(pace: .full)

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let session = try rig.database.session()
        let end = Date(timeIntervalSinceNow: random.seconds(1...3))
        var copies = 0
        var others = 0
        while Date() < end {
            // Backends that are in a COPY; sometimes all backends of lanes.
            let all = random.next() % 64 == 0
            let rows = try session.rows(
                """
                select query ilike '%copy %', pg_terminate_backend(pid) from pg_stat_activity
                where application_name like 'sluice lane%'
                    and (\(all) or state = 'active' and query ilike '%copy %')
                """)
            for row in rows {
                if row.first == "t" { copies += 1 } else { others += 1 }
            }
            rig.hold(seconds: rows.isEmpty ? 0 : random.seconds(0.05...0.3))
        }
        return "\(copies) during COPY, \(others) at other times"
    }
}
