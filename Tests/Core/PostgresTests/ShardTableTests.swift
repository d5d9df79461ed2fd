import Postgres
import TestSupport
import Testing

struct ShardTableTests {
    private static let here = ShardOwner.worker(host: "a", port: 1)
    private static let there = ShardOwner.worker(host: "b", port: 2)

    private static func row(
        _ shard: Int64, _ low: Int64?, _ high: Int64?, _ owner: ShardOwner? = here
    ) -> ShardTable.Placement {
        ShardTable.Placement(
            shard: shard, low: low.map(String.init), high: high.map(String.init), owner: owner)
    }

    /// Ranges as in Citus: equal sizes, and the last one takes the remainder.
    static func cut(_ count: Int, _ owner: (Int) -> ShardOwner) -> [ShardTable.Placement] {
        let step = (1 << 32) / Int64(count)
        return (0..<count).map { index in
            let low = Int64(Int32.min) + Int64(index) * step
            let high = index == count - 1 ? Int64(Int32.max) : low + step - 1
            return row(102_008 + Int64(index), low, high, owner(index))
        }
    }

    @Test(arguments: [1, 2, 3, 7, 32, 1024])
    func `each key is in the shard whose range has its hash`(count: Int) throws {
        let placements = Self.cut(count) { $0.isMultiple(of: 2) ? Self.here : Self.there }
        let table = try ShardTable(placements.shuffled())
        #expect(table.shards.map(\.id) == placements.map(\.shard))
        var dice = Dice(seed: 7)
        var hit = Set<Int>()
        for key in [Int64.min, -1, 0, 1, .max]
            + (0..<5000).map({ _ in Int64(bitPattern: dice.next()) })
        {
            let place = table.place(of: key)
            #expect(table.shards[place].hashes.contains(DistributionHash.hash(key)))
            hit.insert(place)
        }
        #expect(count > 100 || hit.count == count)
        for (place, shard) in table.shards.enumerated() {
            #expect(table.place(of: shard.someKey) == place)
        }
    }

    @Test func `bounds belong to their own shards`() throws {
        let table = try ShardTable([
            Self.row(1, Int64(Int32.min), -1), Self.row(2, 0, 0),
            Self.row(3, 1, Int64(Int32.max)),
        ])
        #expect(table.shards.map(\.hashes) == [Int32.min ... -1, 0...0, 1...Int32.max])
    }

    static let faults: [([ShardTable.Placement], ShardTableFault)] = [
        ([], .empty),
        ([row(1, Int64(Int32.min), 5), row(2, 7, Int64(Int32.max))], .gap(behind: 1)),
        ([row(1, Int64(Int32.min), 5), row(2, 5, Int64(Int32.max))], .overlap(1, 2)),
        ([row(1, Int64(Int32.min) + 1, Int64(Int32.max))], .gap(behind: nil)),
        ([row(1, Int64(Int32.min), Int64(Int32.max) - 1)], .gap(behind: 1)),
        ([row(1, nil, nil)], .boundsUnreadable(shard: 1)),
        ([row(1, 5, 4)], .boundsUnreadable(shard: 1)),
        ([row(1, Int64(Int32.min), 1 << 31)], .boundsUnreadable(shard: 1)),
        ([row(1, Int64(Int32.min), Int64(Int32.max), nil)], .notPlaced(shard: 1)),
        (
            [
                row(1, Int64(Int32.min), Int64(Int32.max)),
                row(1, Int64(Int32.min), Int64(Int32.max), there),
            ], .placedTwice(shard: 1)
        ),
    ]

    @Test(arguments: faults)
    func `placements that can't be used for routing are reported`(
        placements: [ShardTable.Placement], fault: ShardTableFault
    ) {
        #expect(throws: fault) { try ShardTable(placements) }
        #expect(throws: fault) { try ShardTable(placements.reversed()) }
    }

    @Test func `plain PostgreSQL has no shard table`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "plain")
        defer { connection.close() }
        #expect(try ShardTable.read(on: connection) == nil)
    }
}

/// Failures after which the shard table is read again, and failures that have other causes.
struct MovedShardTests {
    @Test(arguments: ["08006", "08001", "55000", "55006", "55P03", "42P01", "XX000"])
    func `the node may no longer have the shard`(code: String) throws {
        let state: SQLState = try #require(SQLState(code))
        let error = PostgresError(.refused, sqlState: state)
        #expect(error.mayComeOfMovedShard)
    }

    @Test(arguments: ["40P01", "40001", "23514", "22P02", "57014", "53100", "42703", "XX001"])
    func `the failure has another cause`(code: String) throws {
        let state: SQLState = try #require(SQLState(code))
        let error = PostgresError(.refused, sqlState: state)
        #expect(!error.mayComeOfMovedShard)
    }

    @Test func `an unreachable node may have been removed`() {
        #expect(PostgresError(.connectionLost).mayComeOfMovedShard)
        #expect(PostgresError(.connectionFailed).mayComeOfMovedShard)
        #expect(PostgresError(.deadlineExceeded).mayComeOfMovedShard)
        #expect(!PostgresError(.poolExhausted).mayComeOfMovedShard)
    }
}
