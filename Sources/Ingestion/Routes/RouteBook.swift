import Postgres
import Readings
import Scanning
import Synchronization

/// The routes in force: hash buckets of the device key until a table of shards has been read.
///
/// For everybody. On plain PostgreSQL a look into it is one load of a flag.
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

    /// What is offered from now on goes by this table; what waits is written where it belongs by
    /// now, by the lane that has it.
    ///
    /// - Returns: whether it differs from the one in force.
    func install(_ table: ShardTable) -> Bool {
        if arrangement?.table == table { return false }
        let arrangement = Arrangement(table, lanes: laneCount, goesToOwners: goesToOwners)
        current.withLock { $0 = arrangement }
        isArranged.store(true, ordering: .releasing)
        return true
    }

    /// A node did not do what the table promises.
    func doubt() { isDoubted.store(true, ordering: .relaxed) }

    /// Whether anybody has had doubts since the last time.
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

    /// What a lane takes at once; on Citus, where each shard gets a group of its own, more.
    func bytesTaken(byLane lane: Int, _ configuration: IngestionConfiguration) -> Int {
        arrangement?.bytesTaken(byLane: lane, of: configuration) ?? configuration.groupBytesMax
    }

    /// All that was taken is one group; on Citus one for each shard, and one for units.
    func forEachGroup(
        of taken: [Consignment], _ configuration: IngestionConfiguration,
        _ body: ([Consignment]) -> Void
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
