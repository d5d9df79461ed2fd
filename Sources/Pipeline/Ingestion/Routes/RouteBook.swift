package import Postgres
import Readings
import Scanning
import Synchronization

/// The routes in force: hash buckets of the device key until a table of shards has been read.
///
/// For any thread. On plain PostgreSQL a look-up is one load of a flag.
final class RouteBook: Sendable {
    private let laneCount: Int
    private let goesToOwners: Bool
    private let isArranged: Atomic<Bool>
    private let current: Mutex<Arrangement?>
    private let isDoubted = Atomic(false)

    /// - Parameter table: nil: plain PostgreSQL, or not known yet.
    init(_ table: ShardTable?, lanes: Int, goesToOwners: Bool) {
        laneCount = lanes
        self.goesToOwners = goesToOwners
        isArranged = Atomic(table != nil)
        current = Mutex(
            table.map { Arrangement($0, lanes: lanes, goesToOwners: goesToOwners) })
    }

    /// nil on plain PostgreSQL.
    var arrangement: Arrangement? {
        guard isArranged.load(ordering: .acquiring) else { return nil }
        return current.withLock { $0 }
    }

    /// Routes new offers by this table. Queued batches are written where it says, by the lane that
    /// has them.
    ///
    /// - Returns: whether it differs from the one in force.
    func install(_ table: ShardTable) -> Bool {
        if arrangement?.table == table { return false }
        let arrangement = Arrangement(table, lanes: laneCount, goesToOwners: goesToOwners)
        current.withLock { $0 = arrangement }
        isArranged.store(true, ordering: .releasing)
        return true
    }

    /// A node contradicted the table.
    func doubt() { isDoubted.store(true, ordering: .relaxed) }

    /// Whether ``doubt()`` was called since the last time.
    func takeDoubt() -> Bool { isDoubted.exchange(false, ordering: .relaxed) }

    // MARK: Lanes

    func lane(of parcel: Parcel) -> Int {
        guard let arrangement else { return LaneChoice.lane(of: parcel, among: laneCount) }
        return arrangement.lane(of: parcel)
    }

    func lane(ofUnit route: UInt64) -> Int {
        guard let arrangement else { return LaneChoice.lane(ofRoute: route, among: laneCount) }
        return arrangement.lane(ofUnit: route)
    }

    /// Bytes that a lane takes at once; more on Citus, where each shard gets its own group.
    func bytesTaken(byLane lane: Int, _ configuration: IngestionConfiguration) -> Int {
        arrangement?.bytesTaken(byLane: lane, of: configuration) ?? configuration.groupBytesMax
    }

    /// Splits what was taken into groups; on Citus by shard, with the units apart.
    func forEachGroup(
        of taken: [Shipment], _ configuration: IngestionConfiguration,
        _ body: ([Shipment]) -> Void
    ) {
        guard let arrangement else { return body(taken) }
        arrangement.parts(of: taken, bytesMax: configuration.groupBytesMax).forEach(body)
    }

    func destination(ofLane lane: Int) -> Destination {
        arrangement?.destination(ofLane: lane) ?? .database
    }

    func destination(of group: Group) -> Destination {
        arrangement?.destination(of: group) ?? .database
    }
}

/// On Citus: which lane takes what, and where lanes write. Immutable, made anew whenever the table of
/// shards has changed.
///
/// A route is a shard, and a group never mixes routes, because a transaction over several nodes
/// commits in two phases, which halves the throughput. A lane has shards of one node and is
/// connected to that node. A quarter of the lanes is for units and connected to the coordinator,
/// whose plain tables hold them.
///
/// If there are fewer lanes for rows than nodes with shards, or lanes must not connect to the
/// nodes, shards are dealt to the lanes in turn and written through the configured database, still
/// one shard a group. A single lane alternates between that and the coordinator.
package final class Arrangement: Sendable {
    /// As read.
    package let table: ShardTable
    private let unitLanes: Int
    /// The lane of each shard, by its place in the table.
    private let laneOfShard: [Int]
    private let destinations: [Destination]
    private let shardCounts: [Int]

    /// Lanes should connect to the nodes themselves.
    let mayGoToOwners: Bool
    /// They do.
    package let goesToOwners: Bool

    /// - Parameter goesToOwners: whether lanes should connect to the nodes, at the table's
    ///   addresses.
    package init(_ table: ShardTable, lanes count: Int, goesToOwners: Bool) {
        precondition(count > 0, "BUG: no lanes")
        self.table = table
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
            destinations[lane] = .shards(isDirect ? shard.owner : nil, beatKey: shard.someKey)
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
    package static func laneCount(for table: ShardTable) -> Int {
        let rows = 2 * table.owners.count
        return min(rows + max(1, rows / 3), 64)
    }

    func lane(of parcel: Parcel) -> Int { laneOfShard[table.place(of: parcel.key.value)] }

    func lane(ofUnit route: UInt64) -> Int { LaneChoice.lane(ofRoute: route, among: unitLanes) }

    /// Where a lane writes; one that has no shards counts as one for units.
    func destination(ofLane lane: Int) -> Destination { destinations[lane] }

    var laneCount: Int { destinations.count }

    var laneCountWithShards: Int { destinations.count(where: \.isOfShards) }

    /// How many lanes with shards do not write to the node that has them: their rows go through the
    /// configured database, or the lane is away.
    func lanesNotDirect(isAway: (Int) -> Bool) -> Int {
        destinations.indices.count { lane in
            guard case .shards(let owner, _) = destinations[lane] else { return false }
            return owner == nil || isAway(lane)
        }
    }

    /// Where a group is written; it must not mix routes.
    func destination(of group: Group) -> Destination {
        guard let first = group.parcels.first else { return .coordinator }
        return destinations[lane(of: first.parcel)]
    }

    /// Bytes that a lane takes at once, so that each of its shards may fill a group.
    func bytesTaken(byLane lane: Int, of configuration: IngestionConfiguration) -> Int {
        min(
            configuration.groupBytesMax * max(1, shardCounts[lane]),
            max(configuration.laneBytesMax, configuration.groupBytesMax))
    }

    /// Splits what a lane has taken so that no part mixes routes, and no part of several shipments
    /// exceeds `bytesMax`. Each route keeps its order. Units come last, as in `group`.
    func parts(of group: [Shipment], bytesMax: Int) -> [[Shipment]] {
        var parts: [[Shipment]] = []
        var bytes: [Int] = []
        var open: [Int: Int] = [:]
        for shipment in group {
            let route =
                switch shipment.load {
                case .parcel(let received): table.place(of: received.parcel.key.value)
                case .unit: -1
                }
            if let part = open[route], bytes[part] + shipment.memory <= bytesMax {
                parts[part].append(shipment)
                bytes[part] += shipment.memory
            } else {
                open[route] = parts.count
                parts.append([shipment])
                bytes.append(shipment.memory)
            }
        }
        return parts
    }
}

/// Where a lane is connected, and what it writes there.
package enum Destination: Equatable, Sendable {
    /// The configured database. On plain PostgreSQL there is nothing else.
    case database
    /// On Citus: rows of shards, on the node that has them; nil: through the configured database.
    ///
    /// `beatKey` is a key of one of those shards, for a row that proves that the node takes rows.
    case shards(ShardOwner?, beatKey: Int64)
    /// On Citus: rows that belong to no device, and definitions.
    case coordinator

    var isOfShards: Bool {
        if case .shards = self { true } else { false }
    }
}
