package import Postgres
import Readings
import Scanning
import Synchronization

/// Decides which lane takes what, where lanes write, and what may be one transaction.
protocol Placement: Sendable {
    func lane(of device: DeviceKey) -> Int
    /// - Parameter route: see ``WorkUnit/route``.
    func lane(ofUnit route: UInt64) -> Int

    /// Where a lane is connected while it has nothing to write.
    func destination(ofLane lane: Int) -> Destination
    /// Where a group is written: one of ``groups(of:bytesMax:)``, or a part of one.
    func destination(of group: Group) -> Destination
    /// Where partitions are made.
    var definitions: Destination { get }

    /// Bytes that a lane takes from its queue at once.
    func bytesTaken(byLane lane: Int, _ configuration: IngestionConfiguration) -> Int
    /// Splits what was taken into groups, each one transaction.
    func groups(of taken: [Shipment], bytesMax: Int) -> [[Shipment]]

    /// How many lanes do not write to the node that has their rows: these go through the configured
    /// database, or the lane is away.
    ///
    /// - Parameter isAway: whether the lane of that number does not write.
    func lanesNotDirect(isAway: (Int) -> Bool) -> Int
    /// The same lanes with the cause, unless the configuration asks for it.
    func detour(isAway: (Int) -> Bool) -> Detour?
}

/// The placement on plain PostgreSQL: a lane is a bucket of hashes, and there is one database.
struct HashPlacement: Placement {
    /// How many lanes there are.
    let lanes: Int

    /// The key is a hash already.
    func lane(of device: DeviceKey) -> Int {
        Self.lane(ofHash: UInt64(bitPattern: device.value), among: lanes)
    }

    func lane(ofUnit route: UInt64) -> Int { Self.lane(ofHash: route, among: lanes) }

    static func lane(ofHash hash: UInt64, among count: Int) -> Int {
        Int(truncatingIfNeeded: hash >> 32) % count
    }

    func destination(ofLane lane: Int) -> Destination { .database }

    func destination(of group: Group) -> Destination { .database }

    var definitions: Destination { .database }

    func bytesTaken(byLane lane: Int, _ configuration: IngestionConfiguration) -> Int {
        configuration.groupBytesMax
    }

    func groups(of taken: [Shipment], bytesMax: Int) -> [[Shipment]] { [taken] }

    func lanesNotDirect(isAway: (Int) -> Bool) -> Int { 0 }

    func detour(isAway: (Int) -> Bool) -> Detour? { nil }
}

/// The placement in force: ``HashPlacement`` until a table of shards has been read.
///
/// For any thread. Until the placement changes, a look-up is one load of a flag.
final class PlacementBook: Sendable {
    private let goesToOwners: Bool
    private let first: any Placement
    private let later = Mutex<ShardPlacement?>(nil)
    private let hasChanged = Atomic(false)
    private let isDoubted = Atomic(false)

    /// - Parameter table: nil: plain PostgreSQL, or not known yet.
    init(_ table: ShardTable?, lanes: Int, goesToOwners: Bool) {
        self.goesToOwners = goesToOwners
        first =
            if let table {
                ShardPlacement(table, lanes: lanes, goesToOwners: goesToOwners)
            } else {
                HashPlacement(lanes: lanes)
            }
    }

    var current: any Placement {
        guard hasChanged.load(ordering: .acquiring) else { return first }
        return later.withLock { $0 } ?? first
    }

    /// Places new offers by this table. Queued batches are written where it says, by the lane that
    /// has them.
    ///
    /// - Parameter lanes: how many there are.
    /// - Returns: whether it differs from the one in force.
    func install(_ table: ShardTable, lanes: Int) -> Bool {
        if let known = current as? ShardPlacement, known.table == table, known.lanes == lanes {
            return false
        }
        let placement = ShardPlacement(table, lanes: lanes, goesToOwners: goesToOwners)
        later.withLock { $0 = placement }
        hasChanged.store(true, ordering: .releasing)
        return true
    }

    /// A node contradicted the table.
    func doubt() { isDoubted.store(true, ordering: .relaxed) }

    /// Whether ``doubt()`` was called since the last time.
    func takeDoubt() -> Bool { isDoubted.exchange(false, ordering: .relaxed) }
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
