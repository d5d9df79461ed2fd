import Postgres
import Readings
import Scanner
import TestSupport
import Testing

@testable import Ingest

/// Tests with shards that are cut by hand; they need no database.
struct PlacementTests {
    /// Equal hash ranges, assigned to the owners in turn.
    static func table(_ count: Int, _ owners: [ShardOwner]) throws -> ShardTable {
        let step = (1 << 32) / Int64(count)
        return try ShardTable(
            (0..<count).map { index in
                let low = Int64(Int32.min) + Int64(index) * step
                let high = index == count - 1 ? Int64(Int32.max) : low + step - 1
                return ShardTable.Placement(
                    shard: 100 + Int64(index), low: String(low), high: String(high),
                    owner: owners[index % owners.count])
            })
    }

    static let owners: [ShardOwner] = [
        .worker(host: "a", port: 5432), .worker(host: "b", port: 5432),
        .worker(host: "b", port: 5433),
    ]

    private static func deviceBatch(_ device: String, readings: Int = 1) throws -> DeviceBatch {
        let batch = try Bench.scan(
            Bodies.batch(device, (0..<readings).map { Bodies.vital($0) }))
        return batch.deviceBatches[0]
    }

    @Test(arguments: [4, 5, 6, 12, 64])
    func `a lane has shards of one node and is connected to it`(lanes: Int) throws {
        let table = try Self.table(32, Self.owners)
        let placement = ShardPlacement(table, lanes: lanes, goesToOwners: true)
        #expect(placement.goesToOwners)
        #expect(placement.lanesNotDirect { _ in false } == 0)
        // The first lanes are for units; the next lane has shards.
        #expect(placement.lanesNotDirect { $0 == 0 } == 0)
        #expect(placement.lanesNotDirect { $0 == max(1, lanes / 4) } == 1)
        var used: [Int: Set<ShardOwner>] = [:]
        for device in 0..<2000 {
            let deviceBatch = try Self.deviceBatch("device \(device)")
            let owner = table.shards[table.place(of: deviceBatch.key.value)].owner
            let lane = placement.lane(of: deviceBatch.key)
            used[lane, default: []].insert(owner)
            guard case .shards(let reached, _) = placement.destination(ofLane: lane) else {
                Issue.record("lane \(lane) has no shards")
                return
            }
            #expect(reached == owner)
            #expect(
                placement.destination(
                    of: Group(deviceBatches: [
                        ReceivedDeviceBatch(
                            deviceBatch: deviceBatch, keyName: "k", receivedAt: Bench.now)
                    ])) == placement.destination(ofLane: lane))
        }
        #expect(used.values.allSatisfy { $0.count == 1 })
        // Every lane has work, except the lanes for units and any lanes beyond the number of
        // shards.
        #expect(used.count == min(lanes - max(1, lanes / 4), 32))
        for route in 0..<1000 {
            let lane = placement.lane(ofUnit: UInt64(route) << 32)
            #expect(used[lane] == nil)
            #expect(placement.destination(ofLane: lane) == .coordinator)
        }
    }

    @Test func `with fewer lanes than nodes rows go through the database`() throws {
        let table = try Self.table(8, Self.owners)
        for (lanes, goes) in [(3, true), (12, false)] {
            let placement = ShardPlacement(table, lanes: lanes, goesToOwners: goes)
            #expect(!placement.goesToOwners)
            #expect(placement.lanesNotDirect { _ in false } == min(8, lanes - max(1, lanes / 4)))
            let deviceBatch = try Self.deviceBatch("d")
            let lane = placement.lane(of: deviceBatch.key)
            guard case .shards(nil, _) = placement.destination(ofLane: lane) else {
                Issue.record("\(placement.destination(ofLane: lane))")
                continue
            }
            #expect(lane >= 1)
        }
        let single = ShardPlacement(table, lanes: 1, goesToOwners: true)
        #expect(single.lane(of: try Self.deviceBatch("d").key) == 0)
        #expect(single.lane(ofUnit: 5 << 32) == 0)
        #expect(single.destination(of: Group()) == .coordinator)
    }

    @Test func `a detour says how many lanes make it, and why`() throws {
        let table = try Self.table(8, Self.owners)
        func detour(lanes: Int, goesToOwners: Bool = true, away: Set<Int> = []) -> IndirectRoute? {
            ShardPlacement(table, lanes: lanes, goesToOwners: goesToOwners)
                .detour { away.contains($0) }
        }
        // Two lanes are for units; the other six serve three nodes in turn.
        #expect(detour(lanes: 8) == nil)
        #expect(detour(lanes: 8, away: [0, 1]) == nil)
        #expect(
            detour(lanes: 8, away: [1, 2, 5, 4])
                == IndirectRoute(
                    lanes: 3, lanesWithShards: 6,
                    cause: .unreachable([Self.owners[0], Self.owners[2]])))
        let few = IndirectRoute(lanes: 2, lanesWithShards: 2, cause: .fewerLanesThanNodes(3))
        #expect(detour(lanes: 3) == few)
        #expect(detour(lanes: 3, away: [2]) == few)
        #expect(detour(lanes: 4) == nil)
        // The configuration asks for the detour.
        #expect(detour(lanes: 3, goesToOwners: false) == nil)
        #expect(detour(lanes: 8, goesToOwners: false, away: [2]) == nil)
    }

    @Test
    func `a detour is logged at its start, at its end, and at most once a minute while it changes`()
    {
        let start = ContinuousClock.now
        var news = IndirectRouteNews()
        func detour(_ lanes: Int) -> IndirectRoute {
            IndirectRoute(lanes: lanes, lanesWithShards: 6, cause: .unreachable([Self.owners[0]]))
        }
        // The second, the number of lanes on a detour, and what is logged.
        let course: [(Int, Int, IndirectRouteNews.Event?)] = [
            (0, 0, nil), (1, 1, .began(detour(1), times: 1)), (2, 1, nil), (3, 2, nil),
            (60, 2, nil), (61, 2, .began(detour(2), times: 1)), (62, 3, nil), (63, 2, nil),
            (64, 2, nil), (65, 0, .ended), (66, 0, nil), (67, 1, nil), (68, 0, nil), (69, 1, nil),
            (121, 1, .began(detour(1), times: 4)), (122, 0, .ended),
            (190, 1, .began(detour(1), times: 1)), (300, 1, nil),
        ]
        for (second, lanes, event) in course {
            #expect(
                news.news(lanes > 0 ? detour(lanes) : nil, now: start + .seconds(second)) == event,
                "\(second) s")
        }
    }

    @Test func `the heartbeat's key is in a shard of the lane`() throws {
        let table = try Self.table(32, Self.owners)
        for goes in [true, false] {
            let placement = ShardPlacement(table, lanes: 8, goesToOwners: goes)
            for lane in 2..<8 {
                guard case .shards(let owner, let key) = placement.destination(ofLane: lane)
                else {
                    Issue.record("lane \(lane) has no shards")
                    continue
                }
                #expect(owner == nil || table.shards[table.place(of: key)].owner == owner)
            }
        }
    }

    @Test func `groups don't mix shards, keep the order and are bounded`() throws {
        let table = try Self.table(4, Self.owners)
        let placement = ShardPlacement(table, lanes: 8, goesToOwners: true)
        var dice = Dice(seed: 11)
        var group = PendingGroup()
        for index in 0..<300 {
            let deviceBatch = try Self.deviceBatch(
                "device \(dice.next() % 40)", readings: 1 + index % 7)
            group.deviceBatches.append(
                Pending(
                    payload: ReceivedDeviceBatch(
                        deviceBatch: deviceBatch, keyName: "\(index)", receivedAt: Bench.now),
                    offeredAt: .now))
        }
        let unit = WorkUnit(kind: Notes.kind, owner: "o", payload: "{}")
        for _ in 0..<5 {
            group.units.append(
                Pending(payload: ReceivedUnit(unit, receivedAt: Bench.now), offeredAt: .now))
        }
        let bytesMax = group.deviceBatches.map(\.payload.memory).max()! * 20
        let groups = placement.groups(of: group, bytesMax: bytesMax)
        #expect(groups.reduce(0) { $0 + $1.count } == group.count)
        #expect(groups.last?.deviceBatches.isEmpty == true)
        #expect(groups.last?.units.count == 5)
        var lastOfShard: [Int: Int] = [:]
        for part in groups.dropLast() {
            #expect(part.units.isEmpty && part.memory <= bytesMax)
            let places = part.deviceBatches.map { pending -> (shard: Int, number: Int) in
                let received = pending.payload
                return (table.place(of: received.deviceBatch.key.value), Int(received.keyName)!)
            }
            #expect(Set(places.map(\.shard)).count == 1)
            for place in places {
                #expect(lastOfShard[place.shard, default: -1] < place.number)
                lastOfShard[place.shard] = place.number
            }
        }
        #expect(lastOfShard.count == 4)
        // A batch larger than the group limit is a part of its own.
        let single = placement.groups(
            of: PendingGroup(deviceBatches: Array(group.deviceBatches[..<1])), bytesMax: 1)
        #expect(single.count == 1)
    }

    @Test
    func `a book gives the buckets until it has a table, and the same table changes nothing`()
        throws
    {
        let book = PlacementBook(nil, lanes: 8, goesToOwners: true)
        #expect(book.current is PlacementBook.Buckets)
        let table = try Self.table(32, Self.owners)
        #expect(book.install(table, lanes: 8))
        #expect(!book.install(table, lanes: 8))
        #expect((book.current as? ShardPlacement)?.table == table)
        let moved = try Self.table(32, Array(Self.owners.reversed()))
        #expect(book.install(moved, lanes: 8))
        #expect((book.current as? ShardPlacement)?.table == moved)
        // More lanes, of which the placement in force knows nothing yet.
        #expect(book.current.destination(ofLane: 9) == .coordinator)
        #expect(book.install(moved, lanes: 10))
        #expect(book.current.destination(ofLane: 9).isOfShards)
        #expect(!book.takeDoubt())
        book.doubt()
        #expect(book.takeDoubt())
        #expect(!book.takeDoubt())
    }
}
