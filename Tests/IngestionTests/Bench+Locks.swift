import Testing

extension Bench {
    /// Waits until so many sessions with this database wait for a lock.
    func waitForLocks(_ count: Int) async throws {
        for _ in 0..<500 {
            let waiting = try query(
                "SELECT pid::text FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                    + "AND datname = current_database()")
            if waiting.count >= count { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("no \(count) sessions wait for a lock")
    }
}
