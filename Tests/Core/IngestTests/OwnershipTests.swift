import Ingest
import Postgres
import Readings
import Scanner
import Schema
import SpoolLog
import TestSupport
import Testing

/// A reading belongs to the user whom its batch named, for ever, and is stored once, whoever sends
/// it again.
@Suite(.timeLimit(.minutes(10))) struct OwnershipTests {
    /// Device, user and second of each vital reading.
    private static func owners(_ bench: Bench) throws -> [String] {
        try bench.query(
            """
            SELECT device_id || ' ' || user_id || ' '
                || extract(epoch FROM time)::bigint - 1770700000
            FROM analytics.vital ORDER BY time, user_id
            """)
    }

    private static func body(
        _ user: String?, _ seconds: [Int], device: String = "w"
    ) -> String {
        let readings = seconds.map { Bodies.vital($0) }
        return user.map { Bodies.batch(device, user: $0, readings) }
            ?? Bodies.batch(device, readings)
    }

    @Test func `a device that passes to another user leaves the readings of the first`()
        async throws
    {
        let bench = try await Bench.fresh("ownership")
        #expect(try await bench.post(Self.body("ann", [10])) == .stored(1))
        #expect(try await bench.post(Self.body("bob", [100, 110])) == .stored(2))
        // A late batch, between the others and before them.
        #expect(try await bench.post(Self.body("ann", [50, 5])) == .stored(2))
        #expect(try await bench.post(Self.body(nil, [120])) == .stored(1))
        #expect(
            try Self.owners(bench)
                == ["w ann 5", "w ann 10", "w ann 50", "w bob 100", "w bob 110", "w w 120"])
        #expect(
            try bench.query(
                "SELECT user_id || ' ' || readings FROM analytics.device ORDER BY user_id")
                == ["ann 3", "bob 2", "w 1"])
        #expect(try bench.count("sluice.device_keys") == 1)
        await bench.finish()
    }

    @Test func `sessions and gaps of a device are each user's own`() async throws {
        let bench = try await Bench.fresh("ownership")
        #expect(try await bench.post(Self.body("ann", [0, 7200])) == .stored(2))
        #expect(try await bench.post(Self.body("bob", [3600, 3610])) == .stored(2))
        #expect(
            try bench.query(
                """
                SELECT user_id || ' ' || readings || ' ' || duration
                FROM analytics.session ORDER BY started
                """) == ["ann 1 00:00:00", "bob 2 00:00:10", "ann 1 00:00:00"])
        #expect(
            try bench.query("SELECT user_id || ' ' || duration FROM analytics.gaps_by()")
                == ["ann 02:00:00"])
        await bench.finish()
    }

    @Test func `a reading that is stored is a duplicate whoever sends it again`() async throws {
        let bench = try await Bench.fresh("ownership")
        let rest = [Bodies.gps(10), Bodies.event(10, "{\"a\":1}"), Bodies.vital(20)]
        #expect(try await bench.post(Bodies.batch("w", user: "ann", rest)) == .stored(3))
        for user in ["bob", "ann", "carl", "w"] {
            #expect(
                try await bench.post(Bodies.batch("w", user: user, rest))
                    == .stored(0, duplicates: 3))
        }
        #expect(try await bench.post(Bodies.batch("w", rest)) == .stored(0, duplicates: 3))
        // Another value at the same time is another reading.
        #expect(
            try await bench.post(Bodies.batch("w", user: "bob", [Bodies.vital(20, 71)]))
                == .stored(1))
        #expect(try Self.owners(bench) == ["w ann 20", "w bob 20"])
        #expect(try bench.count("sluice.gps") == 1)
        // Nor is it anybody else's newest one.
        #expect(
            try bench.query("SELECT user_id FROM analytics.latest_position") == ["ann"])
        #expect(
            try bench.query("SELECT user_id || kind FROM analytics.newest ORDER BY 1")
                == ["annevent", "anngps", "annvital", "bobvital"])
        #expect(
            try bench.query("SELECT readings::text FROM analytics.device ORDER BY user_id")
                == ["3", "1", "0", "0"])
        await bench.finish()
    }

    /// In one group, also when the device is new: the first to arrive has it.
    @Test(arguments: [false, true])
    func `in one group the first batch has the reading`(isKnown: Bool) async throws {
        let bench = await Bench(
            try TestCluster.shared.freshDatabase(named: "ownership"), Bench.single)
        if isKnown {
            for user in ["ann", "bob", "carl"] { _ = try await bench.post(Self.body(user, [0])) }
        }
        let bodies = ["carl", "ann", "bob"].map { Self.body($0, [10, 20]) }
        #expect(
            try await bench.post(together: bodies + [Self.body("ann", [20, 30])], []).batches
                == [
                    .stored(2), .stored(0, duplicates: 2), .stored(0, duplicates: 2),
                    .stored(1, duplicates: 1),
                ])
        #expect(
            try Self.owners(bench)
                == (isKnown ? ["w ann 0"] : []) + ["w carl 10", "w carl 20", "w ann 30"])
        #expect(bench.metric("sluice_group_retries_total") == 0)
        await bench.finish()
    }

    @Test func `a watch's readings belong to the user of the phone's batch`() async throws {
        let bench = try await Bench.fresh("ownership")
        func body(_ metadata: String, _ second: Int, isDataFirst: Bool) -> String {
            let watch = Bodies.vital(second).dropLast() + ",\"device_id\":\"Watch\"}"
            let parts = [
                "\"metadata\":{\(metadata)}", "\"data\":[\(Bodies.vital(second)),\(watch)]",
            ]
            return "{\((isDataFirst ? parts.reversed() : parts).joined(separator: ","))}"
        }
        let (named, unnamed) = (
            #""device_id":"Phone","user_id":"Xavier""#, #""device_id":"Phone""#
        )
        var second = 0
        for isDataFirst in [false, true] {
            for metadata in [named, unnamed] {
                second += 10
                let body = body(metadata, second, isDataFirst: isDataFirst)
                #expect(try await bench.post(body) == .stored(2))
                #expect(try await bench.post(body) == .stored(0, duplicates: 2))
            }
        }
        #expect(
            try bench.query(
                """
                SELECT DISTINCT device_id || ' ' || user_id || ' ' || string_agg(
                    (extract(epoch FROM time)::bigint - 1770700000)::text, ' ' ORDER BY time)
                FROM analytics.vital GROUP BY device_id, user_id ORDER BY 1
                """)
                == [
                    "phone Xavier 10 30", "phone phone 20 40", "watch Xavier 10 30",
                    "watch phone 20 40",
                ])
        await bench.finish()
    }

    /// Two nodes store the same readings of one device for two users, at the same moment, the
    /// device new and known.
    @Test func `two servers store a reading once, for one of its users`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "ownership")
        let benches = [
            await Bench(settings, Bench.single), await Bench(settings, Bench.single),
        ]
        for round in 0..<40 {
            let device = "w\(round / 4)"
            let seconds = Array(round * 10..<round * 10 + 5)
            async let first = benches[0].post(Self.body("ann", seconds, device: device))
            async let second = benches[1].post(Self.body("bob", seconds, device: device))
            var (stored, duplicates) = (0, 0)
            for case .committed(let counts) in [try await first, try await second] {
                stored += counts.stored
                duplicates += counts.duplicates
            }
            #expect(stored == 5 && duplicates == 5, "round \(round)")
        }
        #expect(try benches[0].count("sluice.vital") == 200)
        #expect(try benches[0].count("sluice.device") == 20)
        for bench in benches {
            #expect(bench.metric("sluice_group_retries_total") == 0)
            await bench.finish()
        }
    }

    /// Overlapping, late and repeated batches of three devices and users, from two servers.
    @Test(arguments: 1...4)
    func `whatever is sent, each reading is there once and its user sent it`(
        seed: UInt64
    ) async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "ownership")
        let benches = [
            await Bench(settings, Bench.single), await Bench(settings, Bench.single),
        ]
        var dice = Dice(seed: seed)
        func below(_ bound: Int) -> Int { Int(dice.next() % UInt64(bound)) }
        var senders: [String: Set<String>] = [:]
        for _ in 0..<30 {
            var bodies: [[String]] = [[], []]
            for _ in 0..<2 + below(5) {
                let (device, user) = ("w\(below(3))", ["ann", "bob", "carl"][below(3)])
                let first = below(80)
                var seconds = Array(first..<first + 1 + below(12))
                if below(3) == 0 { seconds.shuffle(using: &dice) }
                for second in seconds { senders["\(device) \(second)", default: []].insert(user) }
                bodies[below(2)].append(Self.body(user, seconds, device: device))
            }
            let (left, right) = (bodies[0], bodies[1])
            async let first = benches[0].post(together: left, []).batches
            async let second = benches[1].post(together: right, []).batches
            let outcomes = try await first + second
            #expect(
                outcomes.allSatisfy {
                    if case .committed(let counts) = $0 { counts.quarantined == 0 } else { false }
                })
        }
        let rows = try Self.owners(benches[0]).map { $0.split(separator: " ") }
        #expect(Set(rows.map { "\($0[0]) \($0[2])" }).count == rows.count)
        #expect(Set(rows.map { "\($0[0]) \($0[2])" }) == Set(senders.keys))
        for row in rows {
            #expect(senders["\(row[0]) \(row[2])"]?.contains(String(row[1])) == true)
        }
        #expect(
            try benches[0].query(
                """
                SELECT device_id FROM analytics.device d WHERE readings <> (
                    SELECT count(*) FROM analytics.vital v
                    WHERE (v.device_id, v.user_id) = (d.device_id, d.user_id))
                """) == [])
        for bench in benches { await bench.finish() }
    }

    /// One batch is spooled while the database is away, then another user sends its readings, and
    /// then the spool is replayed.
    @Test func `a spooled batch stays with its user and doubles nothing`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "ownership")
        let other = await Bench(settings, Bench.single)
        #expect(try await other.post(Self.body("bob", [10])) == .stored(1))
        let path = SpoolTests.directory()
        let first = await Bench(
            SpoolTests.nowhere, SpoolTests.hasty, spool: try SpoolTests.spool(path))
        #expect(try await first.post(Self.body("ann", [10, 20])) == .spooled)
        let watch = Bodies.vital(30).dropLast() + ",\"device_id\":\"watch\"}"
        #expect(
            try await first.post(Bodies.batch("w", user: "ann", [String(watch)])) == .spooled)
        await first.finish()
        let second = await Bench(settings, Bench.single, spool: try SpoolTests.spool(path))
        let isReplayed = try await eventually { try second.count("sluice.vital") == 3 }
        #expect(isReplayed)
        #expect(try Self.owners(second) == ["w bob 10", "w ann 20", "watch ann 30"])
        await second.finish()
        await other.finish()
    }

    /// As before the step that gave devices users of their own: keys of the ids alone.
    @Test func `after an upgrade old readings keep their user and nothing is doubled`()
        async throws
    {
        let settings = try TestCluster.shared.freshDatabase(named: "ownership", migrated: false)
        let connection = try Connection.open(settings, deadline: .now + .seconds(60))
        _ = try Migrator(migrations: Array(Schema.migrations.prefix(18))).run(on: connection)
        let key = DeviceIDKey(of: "w")
        try Bench.run(
            """
            SELECT sluice.ensure_days('2026-02-10', '2026-02-10');
            INSERT INTO sluice.device (device_key, device_id, user_id)
            VALUES (\(key.value), 'w', 'ann');
            INSERT INTO sluice.vital (device_key, t, code, val)
            SELECT \(key.value), to_timestamp(1770700000 + n), 1, 70 FROM generate_series(10, 12) n;
            INSERT INTO sluice.device_state (device_key, key_check, vital_until, readings)
            VALUES (\(key.value), \(key.check), to_timestamp(1770700012), 3)
            """, on: settings)
        _ = try Migrator().run(on: connection)
        connection.close()
        let bench = await Bench(settings, Bench.single)
        #expect(
            try await bench.post(Self.body("bob", [11, 12, 13])) == .stored(1, duplicates: 2))
        #expect(
            try await bench.post(Self.body("ann", [10, 11, 14])) == .stored(1, duplicates: 2))
        #expect(try await bench.post(Self.body(nil, [10, 13])) == .stored(0, duplicates: 2))
        #expect(
            try Self.owners(bench)
                == ["w ann 10", "w ann 11", "w ann 12", "w bob 13", "w ann 14"])
        await bench.finish()
    }
}
