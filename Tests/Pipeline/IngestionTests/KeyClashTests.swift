import Ingestion
import Postgres
import Readings
import ScanningSupport
import TestSupport
import Testing

/// Two device ids with the same 64-bit key. The first device to register owns the key, the other's
/// readings are quarantined, and the owner's are stored exactly once.
@Suite(.timeLimit(.minutes(10))) struct KeyClashTests {
    @Test func `the two ids have one key and are told apart`() {
        let keys = ClashingIDs.all.map(DeviceKey.init(of:))
        #expect(keys[0].value == keys[1].value)
        #expect(keys[0].check < keys[1].check)
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
                        ClashingIDs.all[id], seconds.map { Bodies.vital($0, 70 + Double(id)) }))
            }
            let outcomes = try await bench.post(together: bodies, [])
            for ((id, seconds), outcome) in zip(batches, outcomes) {
                guard case .committed(let stored, let duplicates, _, let refusals) = outcome else {
                    Issue.record("\(String(describing: outcome))")
                    continue
                }
                if refusals.count == 0, owner == nil { owner = id }
                let isOwner = id == owner
                #expect(stored + duplicates == (isOwner ? seconds.count : 0))
                #expect(refusals.count == (isOwner ? 0 : seconds.count))
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
                    "\(own.count) \(DeviceKey(of: ClashingIDs.all[owner]).check) "
                        + "\(ClashingIDs.all[owner]) true"
                ])
        #expect(
            try bench.query(
                """
                SELECT count(*) || ' ' || count(*) FILTER (WHERE reason = 'device_key_clash'
                    AND device_id = '\(ClashingIDs.all[1 - owner])') FROM sluice.quarantine
                """) == ["\(other.count) \(other.count)"])
    }

    /// This includes its watermarks, its newest position and `last_seen`.
    @Test func `an id with another device's key changes nothing of that device`() async throws {
        let bench = try await Bench.fresh("clash")
        func body(_ id: String, _ second: Int, _ version: String) -> String {
            """
            {"metadata":{"device_id":"\(id)","version":"\(version)"},"data":[\
            \(Bodies.gps(second)),\(Bodies.vital(second)),\(Bodies.event(second))]}
            """
        }
        let rows =
            "SELECT s::text || d::text FROM sluice.device_state s JOIN sluice.device d "
            + "USING (device_key)"
        #expect(try await bench.post(body(ClashingIDs.second, 10, "1")) == .stored(3))
        let before = try bench.query(rows)
        for second in [5, 10, 20, 20] {
            #expect(
                try await bench.post(body(ClashingIDs.first, second, "2"))
                    == .stored(0, refused: LaneRefusals(.deviceKeyClash, 3)))
        }
        #expect(try bench.query(rows) == before)
        #expect(try bench.count("sluice.quarantine") == 9)
        #expect(
            try await bench.post(body(ClashingIDs.second, 10, "1")) == .stored(0, duplicates: 3))
        await bench.finish()
    }
}
