import Postgres
import Readings
import Scanner

/// The placement on Citus. Immutable, made anew whenever the table of shards has changed.
///
/// A group has rows of one shard. A transaction over several nodes commits in two phases, which
/// halves the throughput. One over several shards of the lane's node does not, and was tried on
/// Citus 13.2: it saved 3 % of the CPU at 100-reading bodies, but with 3-reading bodies of new
/// devices it stored less than half as many rows. Most of what Citus costs is its own COPY: 3.7
/// times the CPU of PostgreSQL's.
///
/// A lane has shards of one node and is connected to that node. A quarter of the lanes is for units
/// and connected to the coordinator, whose plain tables hold them. If there are fewer lanes for
/// rows than nodes with shards, or lanes must not connect to the nodes, shards are dealt to the
/// lanes in turn and written through the configured database. A single lane alternates between that
/// and the coordinator.
package final class ShardPlacement: Placement {
    /// As read.
    let table: ShardTable
    /// How many lanes there were when it was made. Later ones have no shards.
    let lanes: Int
    private let unitLanes: Int
    /// The lane of each shard, by its place in the table.
    private let laneOfShard: [Int]
    private let destinations: [Destination]
    private let shardCounts: [Int]

    /// Lanes should connect to the nodes themselves.
    private let mayGoToOwners: Bool
    /// They do.
    let goesToOwners: Bool

    /// - Parameter goesToOwners: whether lanes should connect to the nodes, at the table's
    ///   addresses.
    init(_ table: ShardTable, lanes count: Int, goesToOwners: Bool) {
        precondition(count > 0, "BUG: no lanes")
        self.table = table
        lanes = count
        let units = count - Self.rowLanes(of: count)
        let owners = table.owners
        let isDirect = goesToOwners && Self.rowLanes(of: count) >= owners.count
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
            destinations[lane] = .shards(isDirect ? shard.owner : nil, heartbeatKey: shard.someKey)
        }
        unitLanes = max(units, 1)
        self.laneOfShard = laneOfShard
        self.destinations = destinations
        self.shardCounts = shardCounts
        mayGoToOwners = goesToOwners
        self.goesToOwners = isDirect
    }

    /// How many of `count` lanes take rows; with fewer of them than nodes, no lane is connected to
    /// a node.
    package static func rowLanes(of count: Int) -> Int {
        count == 1 ? 1 : count - max(1, count / 4)
    }

    /// Deals the lanes to the nodes in turn.
    private static func lanes(from first: Int, to end: Int, of owners: Int) -> [[Int]] {
        var lanes = [[Int]](repeating: [], count: owners)
        for lane in first..<end { lanes[(lane - first) % owners].append(lane) }
        return lanes
    }

    /// How many lanes keep the nodes busy: two each, and those for units; at most 64.
    static func laneCount(for table: ShardTable) -> Int {
        let rows = 2 * table.owners.count
        return min(rows + max(1, rows / 3), 64)
    }

    func lane(of device: DeviceKey) -> Int { laneOfShard[table.place(of: device.value)] }

    func lane(ofUnit route: UInt64) -> Int {
        Self.lane(ofHash: route, among: unitLanes)
    }

    /// One that has no shards counts as one for units.
    func destination(ofLane lane: Int) -> Destination {
        lane < lanes ? destinations[lane] : .coordinator
    }

    var definitions: Destination { .coordinator }

    func lanesNotDirect(isAway: (Int) -> Bool) -> Int {
        destinations.indices.count { lane in
            guard case .shards(let owner, _) = destinations[lane] else { return false }
            return owner == nil || isAway(lane)
        }
    }

    func detour(isAway: (Int) -> Bool) -> IndirectRoute? {
        guard mayGoToOwners else { return nil }
        let lanes = lanesNotDirect(isAway: isAway)
        guard lanes > 0 else { return nil }
        let away = destinations.indices.compactMap { lane -> ShardOwner? in
            guard case .shards(let owner, _) = destinations[lane], isAway(lane) else { return nil }
            return owner
        }
        return IndirectRoute(
            lanes: lanes, lanesWithShards: destinations.count(where: \.isOfShards),
            cause: goesToOwners
                ? .unreachable(Set(away).sorted()) : .fewerLanesThanNodes(table.owners.count))
    }

    func destination(of group: Group) -> Destination {
        guard let first = group.deviceBatches.first else { return .coordinator }
        return destinations[lane(of: first.deviceBatch.key)]
    }

    /// So many that each of the lane's shards may fill a group.
    func bytesTaken(byLane lane: Int, _ configuration: IngestionConfiguration) -> Int {
        min(
            configuration.groupBytesMax * (lane < lanes ? max(1, shardCounts[lane]) : 1),
            max(configuration.laneBytesMax, configuration.groupBytesMax))
    }

    /// No group mixes shards, or device batches and units, and none of several members exceeds
    /// `bytesMax`. The rows of a shard keep their order. Units come last.
    func groups(of taken: PendingGroup, bytesMax: Int) -> [PendingGroup] {
        var groups: [PendingGroup] = []
        var bytes: [Int] = []
        var open: [Int: Int] = [:]
        /// - Returns: the group that gets a member of this size.
        func place(_ memory: Int, of shard: Int) -> Int {
            if let group = open[shard], bytes[group] + memory <= bytesMax {
                bytes[group] += memory
                return group
            }
            open[shard] = groups.count
            groups.append(PendingGroup())
            bytes.append(memory)
            return groups.count - 1
        }
        for pending in taken.deviceBatches {
            let shard = table.place(of: pending.payload.deviceBatch.key.value)
            let group = place(pending.payload.memory, of: shard)
            groups[group].deviceBatches.append(pending)
        }
        for pending in taken.units {
            let group = place(pending.payload.memory, of: -1)
            groups[group].units.append(pending)
        }
        return groups
    }
}
