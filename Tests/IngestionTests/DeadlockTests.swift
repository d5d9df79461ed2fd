import Ingestion
import Postgres
import Readings
import Scanning
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct DeadlockTests {
    /// Somebody else locks two devices in the wrong order. The lane is the one that PostgreSQL rolls
    /// back, with 40P01, for the other one looks for deadlocks much later.
    /// Also where that takes longer than the lane's patience.
    @Test(arguments: [.seconds(20), .milliseconds(500)] as [Duration])
    func `a group that PostgreSQL rolls back for a deadlock is stored once`(
        patience: Duration
    ) async throws {
        var settings = try TestCluster.shared.freshDatabase(named: "deadlock")
        let other = try Connection.open(settings, deadline: .now + .seconds(60))
        // It is looked for once a wait: by then the other one must be waiting too.
        settings.sessionSettings["deadlock_timeout"] = "2s"
        var configuration = Bench.single
        configuration.patience = patience
        configuration.lockWaitMax = .seconds(10)
        configuration.attemptMax = .seconds(20)
        configuration.stallMax = .seconds(60)
        let bench = await Bench(settings, configuration)
        let devices = try ["a", "b"].map { device in
            (device, try Bench.scan(Bodies.batch(device, [])).parcels[0].key.value)
        }.sorted { $0.1 < $1.1 }
        for (device, _) in devices {
            #expect(try await bench.post(Bodies.batch(device, [Bodies.vital(0)])) == .stored(1))
        }
        for round in 1...2 {
            try other.execute("SET deadlock_timeout = '30s'; BEGIN")
            let lock = "SELECT FROM sluice.device_state WHERE device_key = "
            try other.execute("\(lock) \(devices[1].1) FOR UPDATE")
            async let outcomes = bench.post(
                together: devices.map { Bodies.batch($0.0, [Bodies.vital(round)]) }, [])
            // The lane has the first row and waits for the second; now it can't have it.
            try await Self.waitForLocks(1, bench)
            try other.execute("\(lock) \(devices[0].1) FOR UPDATE")
            try other.execute("COMMIT")
            #expect(try await outcomes == [.stored(1), .stored(1)])
        }
        #expect(bench.metric("sluice_group_retries_total")! >= 2)
        let deadlocks = try await Self.deadlocks(bench, atLeast: 2)
        #expect(deadlocks == 2)
        #expect(try bench.count("sluice.vital") == 6)
        #expect(
            try bench.query("SELECT readings::text FROM sluice.device_state") == ["3", "3"])
        other.close()
        await bench.finish()
    }

    /// The first writer is stopped behind its rows of `device`. Then one of its devices is known, so
    /// the second finds that one's row and registers only the other, for which it waits. It must not
    /// hold the row by then.
    @Test func `two that register devices don't wait for each other`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "registration")
        let other = try Connection.open(settings, deadline: .now + .seconds(60))
        try other.execute(
            """
            CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NULL; END $$;
            CREATE TRIGGER pause AFTER INSERT ON sluice.device EXECUTE FUNCTION pause();
            SELECT pg_advisory_lock(1)
            """)
        let benches = [
            await Bench(settings, Bench.single), await Bench(settings, Bench.single),
        ]
        let keys = try ["a", "b"].map { try Bench.scan(Bodies.batch($0, [])).parcels[0].key }
        let known = keys[0].value < keys[1].value ? keys[0] : keys[1]
        func bodies(_ second: Int) -> [String] {
            ["a", "b"].map { Bodies.batch($0, [Bodies.vital(second)]) }
        }
        async let first = benches[0].post(together: bodies(0), [])
        try await Self.waitForLocks(1, benches[0])
        try other.execute(
            "INSERT INTO sluice.device_state (device_key, key_check) "
                + "VALUES (\(known.value), \(known.check))")
        async let second = benches[1].post(together: bodies(1), [])
        try await Self.waitForLocks(2, benches[0])
        try other.execute("SELECT pg_advisory_unlock(1)")
        #expect(try await first == [.stored(1), .stored(1)])
        #expect(try await second == [.stored(1), .stored(1)])
        for bench in benches {
            #expect(bench.metric("sluice_group_retries_total") == 0)
            await bench.finish()
        }
        other.close()
    }

    /// What PostgreSQL counted; it says so a moment later.
    private static func deadlocks(_ bench: Bench, atLeast count: Int) async throws -> Int {
        var found = 0
        for _ in 0..<100 where found < count {
            let rows = try bench.query(
                "SELECT deadlocks::text FROM pg_stat_database WHERE datname = current_database()")
            found = Int(rows[0]) ?? 0
            try await Task.sleep(for: .milliseconds(50))
        }
        return found
    }

    private static func waitForLocks(_ count: Int, _ bench: Bench) async throws {
        for _ in 0..<500 {
            let waiting = try bench.query(
                "SELECT pid::text FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                    + "AND datname = current_database()")
            if waiting.count >= count { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("no \(count) lanes wait for a lock")
    }
}
