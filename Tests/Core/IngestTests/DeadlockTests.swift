import Ingest
import Postgres
import Readings
import Scanner
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct DeadlockTests {
    /// Another session locks two devices in the opposite order. PostgreSQL rolls back the lane with
    /// 40P01, because the other session checks for deadlocks much later. This also works where the
    /// check takes longer than the lane's patience.
    @Test(arguments: [.seconds(20), .milliseconds(500)] as [Duration])
    func `a group that PostgreSQL rolls back for a deadlock is stored once`(
        patience: Duration
    ) async throws {
        var settings = try TestCluster.shared.freshDatabase(named: "deadlock")
        let other = try Connection.open(settings, deadline: .now + .seconds(300))
        // PostgreSQL checks once for each wait, so the other session must be waiting by then.
        settings.sessionSettings["deadlock_timeout"] = "10s"
        var configuration = Bench.single
        configuration.patience = patience
        configuration.lockWaitMax = .seconds(60)
        configuration.narrowAfter = .seconds(60)
        configuration.attemptMax = .seconds(120)
        configuration.stallMax = .seconds(120)
        let bench = await Bench(settings, configuration)
        let devices = try ["a", "b"].map { device in
            (device, try Bench.scan(Bodies.batch(device, [])).deviceBatches[0].key.value)
        }.sorted { $0.1 < $1.1 }
        for (device, _) in devices {
            #expect(try await bench.post(Bodies.batch(device, [Bodies.vital(0)])) == .stored(1))
        }
        for round in 1...2 {
            try other.execute("SET deadlock_timeout = '10min'; BEGIN")
            let lock = "SELECT FROM sluice.device_state WHERE device_key = "
            try other.execute("\(lock) \(devices[1].1) FOR UPDATE")
            async let outcomes = bench.post(
                together: devices.map { Bodies.batch($0.0, [Bodies.vital(round)]) }, []
            ).batches
            // The lane has locked the first row and waits for the second.
            try await bench.waitForLocks(1)
            try other.execute("\(lock) \(devices[0].1) FOR UPDATE")
            try other.execute("COMMIT")
            #expect(try await outcomes == [.stored(1), .stored(1)])
        }
        #expect(bench.metric("sluice_group_retries_total")! >= 2)
        #expect(try bench.count("sluice.vital") == 6)
        #expect(
            try bench.query("SELECT readings::text FROM sluice.device_state") == ["3", "3"])
        await bench.finish()
        let deadlocks = try await Self.deadlocks(atLeast: 2, on: other)
        // There is one more if the machine stalls for longer than the lane's patience.
        #expect(deadlocks >= 2)
        other.close()
    }

    /// Reads PostgreSQL's deadlock counter. A session reports its counts shortly after it ends.
    private static func deadlocks(
        atLeast count: Int, on connection: Connection
    ) async throws -> Int {
        var found = 0
        _ = try await eventually {
            let rows = try connection.query(
                "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
            found = Int(rows.int64(0, 0))
            return found >= count
        }
        return found
    }
}
