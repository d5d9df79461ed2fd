import Postgres
import Readings
import Scanner
import TestSupport
import Testing

@testable import Ingest

/// New devices, while other sessions register or erase them.
@Suite(.timeLimit(.minutes(10))) struct RegistrationTests {
    /// Writers stop after inserting their rows of `device`, until the advisory lock is released.
    private static let pause = """
        CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NULL; END $$;
        CREATE TRIGGER pause AFTER INSERT ON sluice.device EXECUTE FUNCTION pause();
        SELECT pg_advisory_lock(1)
        """

    /// The first writer stops after inserting its rows of `device`. Then one of its devices is
    /// registered by others. The second writer finds that device's row and registers only the other
    /// one, for which it waits. It must not hold the found row while it waits.
    @Test func `two writers that register devices don't deadlock`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "registration")
        let other = try Connection.open(settings, deadline: .now + .seconds(300))
        try other.execute(Self.pause)
        let benches = [
            await Bench(settings, Bench.single), await Bench(settings, Bench.single),
        ]
        let keys = try ["a", "b"].map { try Bench.scan(Bodies.batch($0, [])).deviceBatches[0].key }
        let known = keys[0].value < keys[1].value ? keys[0] : keys[1]
        func bodies(_ second: Int) -> [String] {
            ["a", "b"].map { Bodies.batch($0, [Bodies.vital(second)]) }
        }
        async let first = benches[0].post(together: bodies(0), []).batches
        try await benches[0].waitForLocks(1)
        try other.execute(
            "INSERT INTO sluice.device_state (device_key, key_check) "
                + "VALUES (\(known.value), \(known.check))")
        async let second = benches[1].post(together: bodies(1), []).batches
        try await benches[0].waitForLocks(2)
        try other.execute("SELECT pg_advisory_unlock(1)")
        #expect(try await first == [.stored(1), .stored(1)])
        #expect(try await second == [.stored(1), .stored(1)])
        for bench in benches {
            #expect(bench.metric("sluice_group_retries_total") == 0)
            await bench.finish()
        }
        other.close()
    }

    /// The registered device is erased at the moment when the writer releases its row to register
    /// the other one.
    @Test func `devices are stored though one is erased while the other is registered`()
        async throws
    {
        let settings = try TestCluster.shared.freshDatabase(named: "registration")
        let other = try Connection.open(settings, deadline: .now + .seconds(300))
        let bench = await Bench(settings, Bench.single)
        #expect(try await bench.post(Bodies.batch("a", [Bodies.vital(0)])) == .stored(1))
        try other.execute(Self.pause)
        async let outcomes = bench.post(
            together: ["a", "b"].map { Bodies.batch($0, [Bodies.vital(1)]) }, []
        ).batches
        try await bench.waitForLocks(1)
        try other.execute(
            """
            DELETE FROM sluice.vital; DELETE FROM sluice.rollup_due;
            DELETE FROM sluice.device_state; DELETE FROM sluice.device
            """)
        try other.execute("SELECT pg_advisory_unlock(1)")
        #expect(try await outcomes == [.stored(1), .stored(1)])
        #expect(try bench.count("sluice.device_state") == 2)
        #expect(bench.metric("sluice_group_retries_total") == 0)
        other.close()
        await bench.finish()
    }

    /// A lane's session with a database that knows so many devices.
    private static func session(devices: Int) throws -> PostgresSession {
        let base = try TestCluster.shared.freshDatabase(named: "plan")
        let connection = try Connection.open(
            PostgresSession.settings(base, IngestionConfiguration(), lane: 0),
            deadline: .now + .seconds(30))
        try connection.execute(
            """
            INSERT INTO sluice.device_state (device_key, key_check)
            SELECT n, n FROM generate_series(1, \(devices)) n;
            ANALYZE sluice.device_state
            """)
        return try PostgresSession(connection, to: .database)
    }

    /// Otherwise the claim of a small group takes twice as long.
    @Test func `the claim of small groups is not planned anew each time`() throws {
        let session = try Self.session(devices: 1000)
        defer { session.close() }
        let deviceBatch = try Bench.scan(Bodies.batch("d", [Bodies.vital(0)])).deviceBatches[0]
        let claims = Claim.all(of: [
            ReceivedDeviceBatch(deviceBatch: deviceBatch, keyName: "k", receivedAt: Bench.now)
        ]).claims
        for _ in 0..<20 {
            _ = try session.begin(Claim.Request(claims))
            try session.rollback()
        }
        let plans = try session.connection.query(
            "SELECT custom_plans FROM pg_prepared_statements WHERE name LIKE 'sluice_claim%'")
        // PostgreSQL always plans the first five anew.
        #expect(plans.int64(0, 0) == 5)
    }

    /// It would walk all devices for each claim.
    @Test func `a plan of the claim from before there were devices is not kept`() throws {
        let session = try Self.session(devices: 2)
        defer { session.close() }
        func claims(_ devices: Range<Int>) throws -> [Claim] {
            Claim.all(
                of: try devices.map {
                    ReceivedDeviceBatch(
                        deviceBatch: try Bench.scan(Bodies.batch("d\($0)", [Bodies.vital(0)]))
                            .deviceBatches[0],
                        keyName: "k", receivedAt: Bench.now)
                }
            ).claims
        }
        func register(_ devices: Range<Int>) throws {
            var request = Claim.Request(try claims(devices))
            request.registered = request.claims
            #expect(try session.begin(request).previousWatermarks.count == devices.count)
            try session.commit(GroupChanges())
        }
        func plan() throws -> String {
            let none = Array(repeating: "'{}'", count: ClaimStatements.claimTypes.count)
            let plan = try session.connection.query(
                "EXPLAIN EXECUTE \(GroupStatements.plain.claim.name) (\(none.joined(separator: ",")))"
            )
            return (0..<plan.count).map { plan.string($0, 0) }.joined(separator: "\n")
        }
        try register(0..<1)
        try register(1..<2)
        // The plan that is kept is made after five others.
        for _ in 0..<10 {
            _ = try session.begin(Claim.Request(try claims(0..<1)))
            try session.rollback()
        }
        let before = try plan()
        #expect(!before.contains("Index Cond"), "\(before)")
        try register(2..<2000)
        let after = try plan()
        #expect(after.contains("Index Cond"), "\(after)")
    }

    /// Also a plan that was made when the table had almost no rows.
    @Test(arguments: [0, 1, 2, 30, 3000])
    func `every plan of the claim locks rows in key order`(devices: Int) throws {
        let session = try Self.session(devices: devices)
        defer { session.close() }
        let connection = session.connection
        for mode in ["force_generic_plan", "force_custom_plan"] {
            let rows = try connection.query(
                "SELECT set_config('plan_cache_mode', '\(mode)', false)")
            #expect(rows.count == 1)
            let none = Array(repeating: "'{}'", count: ClaimStatements.claimTypes.count)
            let plan = try connection.query(
                "EXPLAIN EXECUTE \(GroupStatements.plain.claim.name) (\(none.joined(separator: ",")))"
            )
            let lines = (0..<plan.count).map { plan.string($0, 0) }
            let text = lines.joined(separator: "\n")
            // Either a scan along the array, or a forward scan of the index.
            #expect(text.contains("Index Scan using device_state_pkey"), "\(text)")
            #expect(!text.contains("Seq Scan") && !text.contains("Bitmap"), "\(text)")
            #expect(!text.contains("Backward") && !text.contains("Hash"), "\(text)")
        }
    }
}
