package import Postgres
import Readings
import Scanning

/// On Citus: which lane takes what, and where lanes write. Immutable, made anew whenever the table of
/// shards has changed.
///
/// A route is a shard, and a group never mixes routes, for a transaction over several nodes commits
/// in two phases and costs half of the throughput. A lane has shards of one node and is connected to
/// that node. A quarter of the lanes is for units and connected to the coordinator, whose plain
/// tables they are recorded in.
///
/// With fewer lanes for rows than nodes have shards, or where lanes are not to reach the nodes by
/// themselves, shards are dealt to the lanes as they come and go by way of the configured database,
/// still one shard a group. A single lane takes turns between that and the coordinator.
package final class Arrangement: Sendable {
    /// As read.
    package let table: ShardTable
    private let unitLanes: Int
    /// By place in the table.
    private let laneOfShard: [Int]
    private let destinations: [Destination]
    private let shardCounts: [Int]

    /// Lanes that are connected to the nodes themselves.
    package let goesToOwners: Bool

    /// - Parameter goesToOwners: whether the nodes can be reached at the addresses of the table.
    package init(_ table: ShardTable, lanes count: Int, goesToOwners: Bool) {
        precondition(count > 0, "BUG: no lanes")
        self.table = table
        let units = count == 1 ? 0 : max(1, count / 4)
        let owners = table.owners
        let isDirect = goesToOwners && count - units >= owners.count
        let lanesOf = Self.lanes(from: units, to: count, of: isDirect ? owners.count : 1)
        var dealt = [Int](repeating: 0, count: lanesOf.count)
        let placeOfOwner = Dictionary(
            uniqueKeysWithValues: owners.enumerated().map { ($0.element, isDirect ? $0.offset : 0) }
        )
        let laneOfShard = table.shards.map { shard in
            guard let owner = placeOfOwner[shard.owner] else {
                preconditionFailure("BUG: an owner that is not among the owners")
            }
            defer { dealt[owner] += 1 }
            return lanesOf[owner][dealt[owner] % lanesOf[owner].count]
        }
        var destinations = [Destination](repeating: .coordinator, count: count)
        var shardCounts = [Int](repeating: 0, count: count)
        for (shard, lane) in zip(table.shards, laneOfShard) {
            shardCounts[lane] += 1
            guard shardCounts[lane] == 1 else { continue }
            destinations[lane] = .shards(isDirect ? shard.owner : nil, beatKey: shard.someKey)
        }
        unitLanes = max(units, 1)
        self.laneOfShard = laneOfShard
        self.destinations = destinations
        self.shardCounts = shardCounts
        self.goesToOwners = isDirect
    }

    /// Lanes dealt round to the nodes.
    private static func lanes(from first: Int, to end: Int, of owners: Int) -> [[Int]] {
        var lanes = [[Int]](repeating: [], count: owners)
        for lane in first..<end { lanes[(lane - first) % owners].append(lane) }
        return lanes
    }

    /// How many lanes keep so many nodes busy: two each, and those for units.
    package static func laneCount(for table: ShardTable) -> Int {
        let rows = 2 * table.owners.count
        return min(rows + max(1, rows / 3), 64)
    }

    func lane(of parcel: Parcel) -> Int { laneOfShard[table.place(of: parcel.key.value)] }

    func lane(ofUnit route: UInt64) -> Int { LaneChoice.lane(ofRoute: route, among: unitLanes) }

    /// What a lane is there for; one that has no shards is as good as one for units.
    func destination(ofLane lane: Int) -> Destination { destinations[lane] }

    /// Where a group is written that does not mix routes.
    func destination(of group: Group) -> Destination {
        guard let first = group.parcels.first else { return .coordinator }
        return destinations[lane(of: first.parcel)]
    }

    /// What a lane takes at once, so that each of its shards may get a whole group.
    func bytesTaken(byLane lane: Int, of configuration: IngestionConfiguration) -> Int {
        min(
            configuration.groupBytesMax * max(1, shardCounts[lane]),
            max(configuration.laneBytesMax, configuration.groupBytesMax))
    }

    /// Cuts what a lane has taken so that no part mixes routes and none is larger than a group may
    /// be, if it is more than one consignment; orders stay within a route. Units come last.
    func parts(of group: [Consignment], bytesMax: Int) -> [[Consignment]] {
        var parts: [[Consignment]] = []
        var bytes: [Int] = []
        var open: [Int: Int] = [:]
        for consignment in group {
            let route =
                switch consignment.load {
                case .parcel(let parcel, _): table.place(of: parcel.key.value)
                case .unit: -1
                }
            if let part = open[route], bytes[part] + consignment.memory <= bytesMax {
                parts[part].append(consignment)
                bytes[part] += consignment.memory
            } else {
                open[route] = parts.count
                parts.append([consignment])
                bytes.append(consignment.memory)
            }
        }
        return parts
    }
}
