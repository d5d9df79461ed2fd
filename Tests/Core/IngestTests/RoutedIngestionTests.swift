import Ingest
import Instruments
import Postgres
import Readings
import Scanner
import ScannerSupport
import TestSupport
import Testing

/// Routes rows to the node that has their shard. Two plain servers stand for the nodes, and the
/// shards are cut by hand. This is not Citus: no node forwards rows, so a row on the wrong node
/// stays there and is noticed.
@Suite(.timeLimit(.minutes(10)), .serialized) struct RoutedIngestionTests {
    private static func configuration(
        lanes: Int = 6, patience: Duration = .seconds(60)
    ) -> IngestionConfiguration {
        var configuration = Bench.unhurried
        configuration.lanes = lanes
        configuration.patience = patience
        return configuration
    }

    private static let devices = (0..<40).map { "device \($0)" }

    private static func body(_ device: String, _ seconds: Range<Int>) -> String {
        Bodies.batch(
            device, seconds.flatMap { [Bodies.vital($0), Bodies.gps($0, Double($0) / 9)] })
    }

    private static func key(_ device: String) throws -> Int64 {
        try Bench.scan(Bodies.batch(device, [])).deviceBatches[0].key.value
    }

    /// The number of rows of each device key on one server.
    private static func stored(_ servers: WorkerServers, _ number: Int) throws -> [Int64: Int] {
        let pairs = try servers.pairs(
            number,
            "SELECT device_key::text, count(*)::text FROM sluice.vital GROUP BY device_key")
        return Dictionary(uniqueKeysWithValues: pairs.map { (Int64($0.0)!, Int($0.1)!) })
    }

    @Test func `the coordinator gives metrics by name their codes`() async throws {
        let servers = try WorkerServers()
        let table = try PlacementTests.table(8, servers.owners)
        let bench = await Bench(
            servers.nowhere, Self.configuration(), coordinator: servers.settings(0), shards: table)
        let reading = #"{"t":"\#(Bodies.time(0))","type":"vital","metric":"mood","val":1}"#
        let bodies = Self.devices.map { Bodies.batch($0, [reading]) }
        for outcome in try await bench.post(together: bodies, []).batches {
            #expect(outcome == .stored(1))
        }
        #expect(try await bench.post(bodies[0]) == .stored(0, duplicates: 1))
        for number in 0...1 {
            let codes = try servers.pairs(
                number, "SELECT DISTINCT code::text, '' FROM sluice.vital")
            #expect(codes.map(\.0) == ["1000"])
            let names = try servers.pairs(
                number, "SELECT name, code::text FROM sluice.metric_name WHERE code >= 1000")
            #expect(names.map(\.0) == (number == 0 ? ["mood"] : []))
        }
        await bench.finish()
    }

    @Test func `rows go to the node that has their shard, one shard a transaction`() async throws {
        let servers = try WorkerServers()
        let table = try PlacementTests.table(8, servers.owners)
        let bench = await Bench(
            servers.nowhere, Self.configuration(), coordinator: servers.settings(0), shards: table)
        // All at once, so that lanes take batches of several shards together.
        let bodies = Self.devices.flatMap { device in
            [Self.body(device, 0..<20), Self.body(device, 10..<30)]
        }
        let outcomes = try await bench.post(together: bodies, []).batches
        for pair in stride(from: 0, to: outcomes.count, by: 2) {
            #expect(outcomes[pair] == .stored(40))
            #expect(outcomes[pair + 1] == .stored(20, duplicates: 20))
        }
        // Repeated, now that the sessions are open.
        for device in Self.devices.prefix(8) {
            #expect(
                try await bench.post(Self.body(device, 0..<30)) == .stored(0, duplicates: 60))
        }
        var expected: [[Int64: Int]] = [[:], [:]]
        for device in Self.devices {
            let key = try Self.key(device)
            let owner = table.shards[table.place(of: key)].owner
            expected[owner == servers.owner(0) ? 0 : 1][key] = 30
        }
        #expect(!expected[0].isEmpty && !expected[1].isEmpty)
        #expect(try Self.stored(servers, 0) == expected[0])
        #expect(try Self.stored(servers, 1) == expected[1])
        for number in 0...1 {
            let written = try servers.pairs(
                number, "SELECT DISTINCT xmin::text, device_key::text FROM sluice.vital")
            var shards: [String: Set<Int>] = [:]
            var devices: [String: Int] = [:]
            for (transaction, key) in written {
                shards[transaction, default: []].insert(table.place(of: Int64(key)!))
                devices[transaction, default: 0] += 1
            }
            #expect(shards.values.allSatisfy { $0.count == 1 })
            #expect(devices.values.contains { $0 > 1 }, "no group had two devices")
            let differences = try servers.pairs(
                number, "SELECT d, '' FROM (\(RollupTests.differences)) AS x (d)")
            #expect(differences.map(\.0) == [])
        }
        await bench.finish()
    }

    @Test func `units go to the coordinator`() async throws {
        let servers = try WorkerServers()
        let coordinator = try TestCluster.shared.freshDatabase(named: "coordinator")
        try Bench.run(Notes.schema, on: coordinator)
        let bench = await Bench(
            servers.nowhere, Self.configuration(), coordinator: coordinator,
            shards: try PlacementTests.table(8, servers.owners), unitKinds: [Notes.kind])
        let outcomes = try await bench.post(
            together: Self.devices.map { Self.body($0, 0..<3) },
            (0..<20).map { Notes.unit("n\($0)", owner: "owner \($0)") })
        #expect(outcomes.batches.allSatisfy { $0 == .stored(6) })
        #expect(outcomes.units.allSatisfy { $0 == .committed("stored") })
        let connection = try Connection.open(coordinator, deadline: .now + .seconds(30))
        defer { connection.close() }
        #expect(
            try connection.query(
                "SELECT (SELECT count(*) FROM note), (SELECT count(*) FROM sluice.vital)"
            ).int64(0, 0) == 20)
        #expect(try connection.query("SELECT count(*) FROM sluice.vital").int64(0, 0) == 0)
        await bench.finish()
    }

    /// The coordinator could not be reached when the process started, so it took as few lanes as
    /// for one server.
    @Test func `lanes follow a cluster that becomes known later`() async throws {
        let servers = try WorkerServers()
        var configuration = Self.configuration(lanes: 0, patience: .milliseconds(200))
        configuration.backoffMax = .milliseconds(100)
        let bench = await Bench(
            servers.nowhere, configuration, coordinator: servers.settings(0))
        // Three nodes, of which two are on one server.
        let owners = servers.owners + [.coordinator]
        let table = try PlacementTests.table(9, owners)
        #expect(await bench.ingestor.route(by: table))
        #expect(await !bench.ingestor.route(by: table))
        for device in Self.devices {
            let isStored = try await eventually {
                let outcome = try await bench.post(Self.body(device, 0..<5))
                return outcome == .stored(10) || outcome == .stored(0, duplicates: 10)
            }
            #expect(isStored)
        }
        // Two for each node, and two for units.
        #expect(bench.registry.figures()["sluice_lane_up"].count >= 8)
        #expect(bench.registry.figures()["sluice_lanes_not_direct"].map(\.value) == [0])
        var expected: [[Int64: Int]] = [[:], [:]]
        for device in Self.devices {
            let key = try Self.key(device)
            let owner = table.shards[table.place(of: key)].owner
            expected[owner == servers.owner(1) ? 1 : 0][key] = 5
        }
        #expect(try Self.stored(servers, 0) == expected[0])
        #expect(try Self.stored(servers, 1) == expected[1])
        await bench.finish()
    }

    @Test func `a shard that has moved is written on its new node, and nothing is lost`()
        async throws
    {
        let servers = try WorkerServers()
        let before = try PlacementTests.table(8, servers.owners)
        let bench = await Bench(
            servers.nowhere, Self.configuration(), coordinator: servers.settings(0), shards: before)
        // Every shard moves to the second server while batches are in progress.
        let after = try PlacementTests.table(8, [servers.owner(1)])
        let outcomes = try await withThrowingTaskGroup(of: BatchOutcome.self) { group in
            for (number, device) in Self.devices.enumerated() {
                group.addTask {
                    if number == 20 { _ = await bench.ingestor.route(by: after) }
                    return try await bench.post(Self.body(device, 0..<10))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { $0 == .stored(20) })
        let first = try Self.stored(servers, 0)
        let second = try Self.stored(servers, 1)
        #expect(first.merging(second) { $0 + $1 }.values.allSatisfy { $0 == 10 })
        #expect(first.count + second.count == 40)
        // From now on the first server is unreachable.
        try servers.stop(0)
        for device in Self.devices {
            #expect(try await bench.post(Self.body(device, 100..<110)) == .stored(20))
        }
        #expect(await !bench.ingestor.route(by: after))
        await bench.finish()
    }

    @Test func `an unreachable node delays only its own shards`() async throws {
        let servers = try WorkerServers()
        let table = try PlacementTests.table(8, servers.owners)
        let bench = await Bench(
            servers.nowhere, Self.configuration(patience: .milliseconds(400)),
            coordinator: servers.settings(0), shards: table)
        #expect(!bench.ingestor.takeRouteDoubt())
        try servers.stop(1)
        for device in Self.devices {
            let owner = table.shards[table.place(of: try Self.key(device))].owner
            if owner == servers.owner(0) {
                // The first attempt may fail if the machine stalls for longer than that.
                let isStored = try await eventually {
                    let outcome = try await bench.post(Self.body(device, 0..<5))
                    return outcome == .stored(10) || outcome == .stored(0, duplicates: 10)
                }
                #expect(isStored)
            } else {
                let outcome = try await bench.post(Self.body(device, 0..<5))
                guard case .unavailable = outcome else {
                    Issue.record("\(outcome)")
                    continue
                }
            }
        }
        #expect(bench.ingestor.takeRouteDoubt())
        await bench.finish()
    }

    /// The statements that name their shard, on one plain server: the same batches in the same
    /// order leave the same rows as the usual statements.
    @Test func `statements for one shard store what the usual ones store`() async throws {
        var configuration = Self.configuration(lanes: 3)
        configuration.goesToOwners = false
        let settings = try TestCluster.shared.freshDatabase(named: "narrowed")
        try Bench.run(ShardSchema.heartbeats, on: settings)
        let routed = await Bench(
            settings, configuration, shards: try PlacementTests.table(4, PlacementTests.owners))
        let usual = try await Bench.fresh("usual")
        var dice = Dice(seed: 5)
        let devices = (0..<10).map { "device \($0)" } + ClashingIDs.all
        for _ in 0..<120 {
            let device = devices[Int(dice.next() % 12)]
            let first = Int(dice.next() % 400)
            var readings = (first..<first + Int(dice.next() % 9)).flatMap {
                [Bodies.vital($0), Bodies.gps($0, Double($0 % 50)), Bodies.event($0, "{\"a\":1}")]
            }
            if dice.next() % 3 == 0 { readings.shuffle(using: &dice) }
            if dice.next() % 5 == 0 { readings.append("{\"type\":\"vital\"}") }
            let version = dice.next() % 3
            let user =
                ClashingIDs.all.firstIndex(of: device).map { ClashingIDs.users[$0] }
                ?? ["ann", "bob"][Int(dice.next() % 2)]
            let body = """
                {"metadata":{"device_id":"\(device)","version":"\(version)","user_id":"\(user)"},\
                "data":[\(readings.joined(separator: ","))]}
                """
            let outcome = try await routed.post(body)
            #expect(try await usual.post(body) == outcome)
        }
        let views = [
            "device_key, t, code, val FROM sluice.vital", "device_key, t, lat FROM sluice.gps",
            "device_key, t, label, metadata FROM sluice.event",
            "device_key, device_id, user_id, version FROM sluice.device",
            """
            device_key, key_check, gps_until, vital_until, event_until, readings, said, family
            FROM sluice.device_state
            """,
            "device_key, device_id, keys FROM sluice.device_keys",
            "device_key, hour, kind FROM sluice.rollup_due",
            "device_key, reason, digest FROM sluice.quarantine",
        ]
        for view in views {
            let sql = "SELECT (s.*)::text FROM (SELECT \(view)) AS s ORDER BY 1"
            let found = try routed.query(sql)
            #expect(!found.isEmpty)
            #expect(try usual.query(sql) == found)
        }
        #expect(try routed.query("SELECT d FROM (\(RollupTests.differences)) AS x (d)") == [])
        #expect(try routed.count("sluice.shard_heartbeat") == 2)
        #expect(try routed.count("sluice.node_heartbeat") == 1)
        await routed.finish()
        await usual.finish()
    }
}
