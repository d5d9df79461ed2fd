import TestSupport
import Testing

extension Bench {
    /// Waits until `count` sessions of this database wait for a lock.
    func waitForLocks(_ count: Int) async throws {
        let isSo = try await eventually {
            try query(
                "SELECT pid::text FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                    + "AND datname = current_database()"
            ).count >= count
        }
        #expect(isSo, "no \(count) sessions wait for a lock")
    }
}
