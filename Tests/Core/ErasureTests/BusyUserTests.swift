import Erasure
import Postgres
import TestSupport
import Testing

/// A user is removed while their devices send, their app is in use, or the command runs twice.
@Suite(.timeLimit(.minutes(10))) struct BusyUserTests {
    private let settings: ConnectionSettings
    private let other: Connection

    init() throws {
        settings = try TestCluster.shared.freshDatabase(named: "busy")
        other = try Connection.open(settings, deadline: .now + .seconds(300))
    }

    private func waitForLocks(_ count: Int) async throws {
        let isSo = try await eventually {
            try other.execute("SELECT pg_stat_clear_snapshot()")
            return try other.query(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                    + "AND datname = current_database()"
            ).int64(0, 0) == count
        }
        #expect(isSo, "no \(count) sessions wait for a lock")
    }

    private func count(_ table: String) throws -> Int64 {
        try other.query("SELECT count(*) FROM \(table)").int64(0, 0)
    }

    private static let moods = ["a", "b"].map { String(repeating: $0, count: 32) }

    private static let registration = """
        INSERT INTO sluice.device (device_key, device_id, user_id)
        VALUES (1, 'watch', 'ann');
        INSERT INTO sluice.device_state (device_key, key_check) VALUES (1, 1);
        """

    /// Another run removes the device. The device is registered again after this run has removed
    /// its positions and before it removes its events.
    @Test func `a device that is registered during a run keeps its readings findable`()
        async throws
    {
        try other.execute(
            "SELECT sluice.ensure_days('2026-02-10', '2026-02-10'); \(Self.registration)")
        let gate = try Connection.open(settings, deadline: .now + .seconds(300))
        try gate.execute("BEGIN; LOCK TABLE ONLY sluice.event")
        let erasing = Task.detached { [settings] in
            let connection = try Connection.open(settings, deadline: .now + .seconds(300))
            defer { connection.close() }
            return try Eraser.erase(
                "ann", on: connection, removeFile: { _ in true },
                removeArchived: { _ in
                    let another = try Connection.open(settings, deadline: .now + .seconds(300))
                    defer { another.close() }
                    try another.execute(
                        """
                        DELETE FROM sluice.device_state WHERE gps_until = '-infinity';
                        DELETE FROM sluice.device d WHERE NOT EXISTS (
                            SELECT FROM sluice.device_state s WHERE s.device_key = d.device_key)
                        """)
                    return ArchiveCount()
                })
        }
        try await waitForLocks(1)
        try other.execute(
            """
            \(Self.registration)
            INSERT INTO sluice.gps (device_key, t, lat, lon)
            VALUES (1, '2026-02-10 12:00:00Z', 1, 2);
            UPDATE sluice.device_state SET gps_until = '2026-02-10 12:00:00Z'
            """)
        try gate.execute("COMMIT")
        _ = try await erasing.value
        #expect(try count("sluice.gps") == 1)
        #expect(try count("sluice.device") == 1)
        #expect(try count("sluice.device_state") == 1)
        // Without their device, no run would find the readings.
        let report = try Eraser.erase("ann", on: other, removeFile: { _ in true })
        #expect(report.isComplete)
        #expect(try count("sluice.gps") == 0)
        #expect(try count("sluice.device") == 0)
        gate.close()
        other.close()
    }

    /// Another session locks two rows one after the other, once in each order. In one of the
    /// orders it deadlocks with the run, and PostgreSQL rolls the run back.
    @Test func `rows of a transaction that was rolled back by a deadlock are removed all the same`()
        async throws
    {
        try other.execute("SET deadlock_timeout = '10min'")
        var own = settings
        own.sessionSettings["deadlock_timeout"] = "10s"
        for moods in [Self.moods, Self.moods.reversed()] {
            try other.execute(
                """
                INSERT INTO sluice.mood (mood_id, user_id, mood, created_at)
                SELECT m, 'ann', 'calm', now() FROM unnest('{\(Self.moods.joined(separator: ","))}'
                    ::text[]) m
                """)
            let lock = "SELECT FROM sluice.mood WHERE mood_id ="
            try other.execute("BEGIN; \(lock) '\(moods[0])' FOR UPDATE")
            let erasing = Task.detached { [own] in
                let connection = try Connection.open(own, deadline: .now + .seconds(300))
                defer { connection.close() }
                return try Eraser.erase("ann", on: connection, removeFile: { _ in true })
            }
            try await waitForLocks(1)
            try other.execute("\(lock) '\(moods[1])' FOR UPDATE")
            try other.execute("COMMIT")
            #expect(try await erasing.value.isComplete)
            #expect(try count("sluice.mood") == 0)
        }
        func deadlocks() throws -> Int64 {
            try other.query(
                "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
            ).int64(0, 0)
        }
        // Statistics are reported a moment after a session ends.
        #expect(try await eventually { try deadlocks() > 0 })
        #expect(try deadlocks() == 1)
        other.close()
    }
}
