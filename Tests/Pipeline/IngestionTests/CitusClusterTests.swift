import Foundation
import Ingestion
import Postgres
import Readings
import Scanning
import TestSupport
import Testing

/// A whole Citus cluster, which the tests don't start: `SLUICE_TEST_CITUS_URL` leads to the
/// coordinator of one that has the extension and at least two workers. Its database is written to, so
/// it must be empty or one of earlier runs: its name must begin with `sluice_test`.
///
/// Run by hand, on Citus 13.2.2 with two workers: Debian has no package of it.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(
        if: ProcessInfo.processInfo.environment["SLUICE_TEST_CITUS_URL"] != nil,
        "SLUICE_TEST_CITUS_URL names no coordinator of a Citus cluster"))
struct CitusClusterTests {
    private let settings: ConnectionSettings

    init() throws {
        let url = ProcessInfo.processInfo.environment["SLUICE_TEST_CITUS_URL"] ?? ""
        settings = try ConnectionSettings(url)
        let name = settings.database ?? ""
        precondition(name.hasPrefix("sluice_test"), "the database \(name) is none for tests")
    }

    /// Migrated and distributed, which is also to be right a second time.
    private func prepare() throws -> (connection: Connection, table: ShardTable) {
        let connection = try Connection.open(settings, deadline: .now + .seconds(300))
        _ = try Migrator().run(on: connection)
        let first = try Citus.distribute(on: connection)
        let second = try Citus.distribute(on: connection)
        #expect(first == second)
        connection.deadline = .now + .seconds(300)
        try connection.execute(ShardSchema.days)
        return (connection, second)
    }

    /// Devices that no earlier run has had.
    private let devices: [String] = (0..<60).map { "\(UUID().uuidString) \($0)" }

    private static func body(_ device: String, _ seconds: Range<Int>) -> String {
        Bodies.batch(
            device,
            seconds.flatMap {
                [Bodies.vital($0), Bodies.gps($0, Double($0) / 9), Bodies.event($0, "{\"a\":1}")]
            } + ["{\"type\":\"none\"}"])
    }

    private func count(_ table: String, _ connection: Connection) throws -> Int64 {
        var parameters = Parameters()
        parameters.append(
            int8s: try devices.map {
                try Bench.scan(Bodies.batch($0, [])).parcels[0].key.value
            })
        return try connection.query(
            "SELECT count(*) FROM sluice.\(table) WHERE device_key = ANY ($1)", parameters
        ).int64(0, 0)
    }

    @Test func `our hash is the one by which Citus finds shards`() throws {
        let (connection, table) = try prepare()
        defer { connection.close() }
        var dice = Dice(seed: 3)
        for _ in 0..<200 {
            let key = Int64(bitPattern: dice.next())
            var parameters = Parameters()
            parameters.append(int8: key)
            let rows = try connection.query(
                "SELECT get_shard_id_for_distribution_column('sluice.device_state', $1)::bigint",
                parameters)
            #expect(table.shards[table.place(of: key)].id == rows.int64(0, 0))
        }
    }

    @Test(arguments: [true, false])
    func `batches are stored once, straight to the nodes and by way of the coordinator`(
        goesToOwners: Bool
    ) async throws {
        let (connection, table) = try prepare()
        defer { connection.close() }
        var configuration = Bench.unhurried
        configuration.goesToOwners = goesToOwners
        configuration.lanes = 4 + table.owners.count
        let first = await Bench(settings, configuration, shards: table)
        let second = await Bench(settings, configuration, shards: table)
        for bench in [first, second] {
            let outcomes = try await bench.post(
                together: devices.flatMap { [Self.body($0, 0..<20), Self.body($0, 10..<30)] }, [])
            #expect(
                outcomes.allSatisfy {
                    if case .committed(let stored, let duplicates, 1, _) = $0 {
                        stored + duplicates == 60
                    } else {
                        false
                    }
                })
        }
        for kind in ["vital", "gps", "event"] {
            #expect(try count(kind, connection) == Int64(devices.count * 30))
        }
        #expect(try count("quarantine", connection) == Int64(devices.count))
        #expect(try count("device", connection) == Int64(devices.count))
        // Late ones, which make hours due again.
        for device in devices.prefix(5) {
            #expect(
                try await first.post(Bodies.batch(device, [Bodies.gps(-30), Bodies.gps(5)]))
                    == .stored(2))
        }
        let differences = try connection.query(
            "SELECT count(*) FROM (\(RollupTests.differences)) AS x (d)")
        #expect(differences.int64(0, 0) == 0)
        // A day that nobody has made: its partition is the coordinator's to make.
        #expect(
            try await first.post(Bodies.batch(devices[0], [Bodies.vital(-40 * 86_400)]))
                == .stored(1))
        await first.finish()
        await second.finish()
    }

    @Test func `hours are summed, and every view says the same before and behind that`()
        async throws
    {
        let (connection, table) = try prepare()
        defer { connection.close() }
        var configuration = Bench.unhurried
        configuration.lanes = 4 + table.owners.count
        let bench = await Bench(settings, configuration, shards: table)
        _ = try await bench.post(together: devices.map { Self.body($0, 0..<20) }, [])
        await bench.finish()
        let views = try connection.query(
            "SELECT viewname::text FROM pg_views WHERE schemaname = 'analytics' ORDER BY 1")
        #expect(views.count > 15)
        let counts = try (0..<views.count).map {
            try connection.query("SELECT count(*) FROM analytics.\(views.string($0, 0))").int64(
                0, 0)
        }
        var after: Int64? = .min
        while let key = after {
            var parameters = Parameters()
            parameters.append(int8: key)
            let rows = try connection.query("SELECT sluice.sum_hours($1)", parameters)
            after = rows.isNull(0, 0) ? nil : rows.int64(0, 0)
        }
        #expect(try count("rollup_due", connection) == 0)
        #expect(try count("gps_rollup", connection) >= Int64(devices.count))
        for view in 0..<views.count {
            let name = views.string(view, 0)
            #expect(
                try connection.query("SELECT count(*) FROM analytics.\(name)").int64(0, 0)
                    == counts[view], "\(name)")
        }
    }

    @Test func `a shard is moved while batches are written`() async throws {
        let (connection, before) = try prepare()
        defer { connection.close() }
        let workers = before.owners.filter { $0 != .coordinator }
        try #require(workers.count >= 2, "the cluster has one worker")
        var configuration = Bench.unhurried
        configuration.lanes = 4 + before.owners.count
        configuration.patience = .seconds(30)
        configuration.attemptMax = .seconds(30)
        let bench = await Bench(settings, configuration, shards: before)
        let devices = devices
        let writing = Task {
            var stored = 0
            for second in 0..<60 {
                let outcomes = try await bench.post(
                    together: devices.map { Bodies.batch($0, [Bodies.vital(second)]) }, [])
                stored += outcomes.count { $0 == .stored(1) }
            }
            return stored
        }
        let shard = before.shards[before.place(of: 0)]
        guard case .worker(let host, let port) = shard.owner,
            case .worker(let otherHost, let otherPort)? = workers.first(where: { $0 != shard.owner }
            )
        else {
            Issue.record("the shard is on the coordinator")
            return
        }
        try connection.execute(
            """
            SELECT citus_move_shard_placement(\(shard.id), '\(host)', \(port), '\(otherHost)',
                \(otherPort), shard_transfer_mode := 'block_writes')
            """)
        let after = try #require(try ShardTable.read(on: connection))
        #expect(after != before)
        #expect(bench.ingestor.route(by: after))
        #expect(try await writing.value == devices.count * 60)
        #expect(try count("vital", connection) == Int64(devices.count * 60))
        await bench.finish()
    }
}
