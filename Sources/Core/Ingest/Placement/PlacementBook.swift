import Postgres
import Readings
import Scanner
import Synchronization

/// The placement in force: ``Buckets`` until a table of shards has been read.
///
/// For any thread. Until the placement changes, a look-up is one load of a flag.
final class PlacementBook: Sendable {
    /// The placement on plain PostgreSQL: a lane is a bucket of hashes, and there is one database.
    struct Buckets: Placement {
        /// How many lanes there are.
        let lanes: Int

        /// All rows of a device go through one lane, whoever its users are.
        func lane(of device: DeviceKey) -> Int {
            Self.lane(ofHash: UInt64(device.fold) << 32, among: lanes)
        }

        func lane(ofUnit route: UInt64) -> Int { Self.lane(ofHash: route, among: lanes) }

        func destination(ofLane lane: Int) -> Destination { .database }

        func destination(of group: Group) -> Destination { .database }

        var definitions: Destination { .database }

        func bytesTaken(byLane lane: Int, _ configuration: IngestionConfiguration) -> Int {
            configuration.groupBytesMax
        }

        func groups(of taken: PendingGroup, bytesMax: Int) -> [PendingGroup] { [taken] }

        func lanesNotDirect(isAway: (Int) -> Bool) -> Int { 0 }

        func detour(isAway: (Int) -> Bool) -> IndirectRoute? { nil }
    }

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
                Buckets(lanes: lanes)
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
