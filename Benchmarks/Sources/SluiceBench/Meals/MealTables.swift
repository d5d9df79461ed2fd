import Foundation
import Oracle

/// Empties the tables of meal logs, and reads them back.
struct MealTables {
    let session: Session

    /// Pushed results are deleted from `sluice.undelivered` a moment later.
    private static let settleSecondsMax = 5.0

    /// Leaves the server without earlier logs and work.
    func clear() throws {
        try session.execute(
            "truncate sluice.meal_log, sluice.undelivered, sluice.job, sluice.notice cascade")
        try session.execute("checkpoint")
    }

    /// Why the tables do not hold exactly the accepted logs, each with its result; nil if they
    /// do.
    func fault(_ leg: MealLeg) throws -> String? {
        let rows = try session.rows(
            """
            select meal_log_id, status,
                (select count(*) from sluice.meal_log_item i where i.meal_log_id = l.meal_log_id)
            from sluice.meal_log l
            """)
        let stored = Set(rows.compactMap(\.first))
        guard stored == leg.accepted else {
            return "\(stored.count) logs stored, \(leg.accepted.count) accepted"
        }
        let unfinished = rows.filter { row in
            row[1] == "completed" ? row[2] == "0" : row[1] != "failed"
        }
        guard unfinished.isEmpty else { return "\(unfinished.count) logs without a result" }
        guard rows.filter({ $0[1] == "failed" }).count == leg.failed else {
            return "the numbers of pushed and of stored failures differ"
        }
        let end = Date(timeIntervalSinceNow: Self.settleSecondsMax)
        var waiting = 0
        repeat {
            waiting = try session.number("select count(*) from sluice.undelivered")
            if waiting == 0 { return nil }
            usleep(50_000)
        } while Date() < end
        return "\(waiting) results are still undelivered"
    }
}
