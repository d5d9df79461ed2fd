import Ingest
import Postgres
import Readings
import ScannerSupport
import TestSupport
import Testing

/// Two device ids of two users with the same 64-bit key. The first device to register owns the key,
/// the other's readings are quarantined, and the owner's are stored exactly once.
@Suite(.timeLimit(.minutes(10))) struct KeyClashTests {
    @Test func `the two ids have one key and are told apart`() {
        let keys = zip(ClashingIDs.all, ClashingIDs.users).map { DeviceKey(of: $0, user: $1) }
        #expect(keys[0].value == keys[1].value)
        #expect(keys[0].check < keys[1].check)
        let idKeys = ClashingIDs.all.map { DeviceIDKey(of: $0) }
        #expect(idKeys[0].value == idKeys[1].value && idKeys[0] != idKeys[1])
    }

    /// Batches of both devices in one group, which overlap, repeat and are late, in any order.
    @Test(arguments: 1...6)
    func `a device is stored exactly once in a group with another device of its key`(
        seed: UInt64
    ) async throws {
        let bench = await Bench(
            try TestCluster.shared.freshDatabase(named: "clash"), Bench.single)
        var dice = Dice(seed: seed)
        func below(_ bound: Int) -> Int { Int(dice.next() % UInt64(bound)) }
        var sent: [Set<Int>] = [[], []]
        var owner: Int?
        for _ in 0..<12 {
            var bodies: [String] = []
            var batches: [(id: Int, seconds: [Int])] = []
            for _ in 0..<2 + below(4) {
                let (id, first) = (below(2), below(60))
                var seconds = Array(first...first + below(20))
                if below(3) == 0 { seconds.shuffle(using: &dice) }
                batches.append((id, seconds))
                // The values tell the two devices apart.
                bodies.append(
                    Bodies.batch(
                        ClashingIDs.all[id], user: ClashingIDs.users[id],
                        seconds.map { Bodies.vital($0, 70 + Double(id)) }))
            }
            let outcomes = try await bench.post(together: bodies, []).batches
            for ((id, seconds), outcome) in zip(batches, outcomes) {
                guard case .committed(let counts) = outcome else {
                    Issue.record("\(String(describing: outcome))")
                    continue
                }
                if counts.refusals.count == 0, owner == nil { owner = id }
                let isOwner = id == owner
                #expect(counts.stored + counts.duplicates == (isOwner ? seconds.count : 0))
                #expect(counts.refusals.count == (isOwner ? 0 : seconds.count))
                sent[id].formUnion(seconds)
            }
            let own = try #require(owner)
            try demand(bench, owner: own, sent: sent)
        }
        await bench.finish()
    }

    /// Checks the contents of the tables.
    private func demand(_ bench: Bench, owner: Int, sent: [Set<Int>]) throws {
        let (own, other) = (sent[owner], sent[1 - owner])
        let value = 70 + owner
        #expect(
            try bench.query(
                """
                SELECT count(*) || ' ' || count(DISTINCT t) || ' ' || count(*) FILTER
                    (WHERE val <> \(value)) FROM sluice.vital
                """) == ["\(own.count) \(own.count) 0"])
        #expect(
            try bench.query(
                """
                SELECT s.readings || ' ' || s.key_check || ' ' || d.device_id || ' '
                    || (s.vital_until = (SELECT max(t) FROM sluice.vital))
                FROM sluice.device_state s JOIN sluice.device d USING (device_key)
                """)
                == [
                    "\(own.count) \(Self.check(of: owner)) \(ClashingIDs.all[owner]) true"
                ])
        #expect(
            try bench.query(
                """
                SELECT count(*) || ' ' || count(*) FILTER (WHERE reason = 'device_key_clash'
                    AND device_id = '\(ClashingIDs.all[1 - owner])') FROM sluice.quarantine
                """) == ["\(other.count) \(other.count)"])
    }

    private static func check(of id: Int) -> Int64 {
        DeviceKey(of: ClashingIDs.all[id], user: ClashingIDs.users[id]).check
    }

    /// The keys of the ids alone are the same, but a reading of one is none of the other, whatever
    /// other users they have.
    @Test func `ids whose own keys clash are not one device`() async throws {
        let bench = try await Bench.fresh("clash")
        for user in ["ann", "bob"] {
            for id in ClashingIDs.all {
                let body = Bodies.batch(id, user: user, [Bodies.vital(0)])
                #expect(
                    try await bench.post(body)
                        == .stored(user == "ann" ? 1 : 0, duplicates: user == "ann" ? 0 : 1))
            }
        }
        #expect(try bench.count("sluice.device_keys") == 2)
        #expect(
            try bench.query("SELECT DISTINCT cardinality(family)::text FROM sluice.device_state")
                == ["2"])
        await bench.finish()
    }

    /// This includes its watermarks, its newest position and `last_seen`.
    @Test func `an id with another device's key changes nothing of that device`() async throws {
        let bench = try await Bench.fresh("clash")
        func body(_ id: Int, _ second: Int, _ version: String) -> String {
            """
            {"metadata":{"device_id":"\(ClashingIDs.all[id])","version":"\(version)",\
            "user_id":"\(ClashingIDs.users[id])"},"data":[\
            \(Bodies.gps(second)),\(Bodies.vital(second)),\(Bodies.event(second))]}
            """
        }
        let rows =
            "SELECT s::text || d::text FROM sluice.device_state s JOIN sluice.device d "
            + "USING (device_key)"
        #expect(try await bench.post(body(1, 10, "1")) == .stored(3))
        let before = try bench.query(rows)
        for second in [5, 10, 20, 20] {
            #expect(
                try await bench.post(body(0, second, "2"))
                    == .stored(0, refused: LaneRefusals(.deviceKeyClash, 3)))
        }
        #expect(try bench.query(rows) == before)
        #expect(try bench.count("sluice.quarantine") == 9)
        #expect(
            try await bench.post(body(1, 10, "1")) == .stored(0, duplicates: 3))
        await bench.finish()
    }
}
