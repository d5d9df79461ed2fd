/// Which shard of a Citus table a row belongs to and which node has it: ranges of the distribution
/// column's hash, without gaps.
///
/// A value, as read at one moment. An outdated one still sends rows to a Citus node, and each node
/// forwards rows to the node that has them: that costs speed and loses nothing.
public struct ShardTable: Sendable, Equatable {
    /// One row of the catalogs: a shard on a node.
    public struct Placement: Sendable, Equatable {
        /// The shard's id.
        public let shard: Int64
        /// The least hash, in decimal as in the catalog; nil if the catalog has none.
        public let low: String?
        /// The greatest hash.
        public let high: String?
        /// nil if no active node has it.
        public let owner: ShardOwner?

        /// Makes a placement as read from the catalogs.
        public init(shard: Int64, low: String?, high: String?, owner: ShardOwner?) {
            self.shard = shard
            self.low = low
            self.high = high
            self.owner = owner
        }
    }

    /// One shard.
    public struct Shard: Sendable, Equatable {
        /// Citus' id of the shard.
        public let id: Int64
        /// The hashes of the shard's keys.
        public let hashes: ClosedRange<Int32>
        /// Where it is.
        public let owner: ShardOwner

        /// A key whose rows would be in this shard; almost certainly no device has it.
        public var someKey: Int64 { DistributionHash.key(in: hashes) }
    }

    /// In hash order; at least one.
    public let shards: [Shard]
    /// The least hash of each shard, for the search.
    private let lows: [Int32]

    /// - Parameter placements: in any order.
    public init(_ placements: [Placement]) throws(ShardTableFault) {
        var shards: [Shard] = []
        for placement in placements { shards.append(try Self.shard(placement)) }
        shards.sort { ($0.hashes.lowerBound, $0.id) < ($1.hashes.lowerBound, $1.id) }
        guard let first = shards.first, let last = shards.last else { throw .empty }
        guard first.hashes.lowerBound == .min else { throw .gap(behind: nil) }
        for (left, right) in zip(shards, shards.dropFirst()) {
            guard left.id != right.id else { throw .placedTwice(shard: left.id) }
            guard left.hashes.upperBound < right.hashes.lowerBound else {
                throw .overlap(left.id, right.id)
            }
            guard left.hashes.upperBound + 1 == right.hashes.lowerBound else {
                throw .gap(behind: left.id)
            }
        }
        guard last.hashes.upperBound == .max else { throw .gap(behind: last.id) }
        self.shards = shards
        lows = shards.map(\.hashes.lowerBound)
    }

    private static func shard(_ placement: Placement) throws(ShardTableFault) -> Shard {
        guard let owner = placement.owner else { throw .notPlaced(shard: placement.shard) }
        guard let low = placement.low.flatMap({ Int32($0) }),
            let high = placement.high.flatMap({ Int32($0) }), low <= high
        else { throw .boundsUnreadable(shard: placement.shard) }
        return Shard(id: placement.shard, hashes: low...high, owner: owner)
    }

    /// The index in ``shards`` of the shard with a key's rows. O(log shards).
    public func place(of key: Int64) -> Int {
        let hash = DistributionHash.hash(key)
        var (below, above) = (0, lows.count)
        // lows[below] <= hash < lows[above], if above is an index.
        while above - below > 1 {
            let middle = (below + above) / 2
            if lows[middle] <= hash { below = middle } else { above = middle }
        }
        return below
    }

    /// All nodes that have shards, in order.
    public var owners: [ShardOwner] { Set(shards.map(\.owner)).sorted() }
}

extension ShardTable {
    /// Why there is no table of shards.
    public enum Failure: Error, Equatable, Sendable {
        /// The catalogs can't be read.
        case database(PostgresError)
        /// The content of the catalogs can't be used.
        case fault(ShardTableFault)
    }

    /// The table whose shards decide: all per-device tables are co-located with it.
    static let decisive = "sluice.device_state"

    /// Reads where the rows of devices are, from a coordinator or any node that has the catalogs.
    ///
    /// - Returns: nil on plain PostgreSQL, and if our tables are not distributed.
    public static func read(on connection: Connection) throws(Failure) -> ShardTable? {
        guard let way = try distribution(connection) else { return nil }
        guard way.method == "h" else { throw .fault(.notHashDistributed(method: way.method)) }
        guard way.column == "device_key" else { throw .fault(.otherColumn(way.column)) }
        let placements = try placements(connection)
        do throws(ShardTableFault) {
            return try ShardTable(placements)
        } catch {
            throw .fault(error)
        }
    }

    /// Citus' letter for the distribution method, and the column; nil if the table is not
    /// distributed.
    private static func distribution(
        _ connection: Connection
    ) throws(Failure) -> (method: String, column: String)? {
        do throws(PostgresError) {
            let catalogs = try connection.query(
                "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL")
            guard catalogs.bool(0, 0) else { return nil }
            let rows = try connection.query(
                """
                SELECT partmethod::text,
                    coalesce(pg_catalog.column_to_column_name(logicalrelid, partkey), '')
                FROM pg_catalog.pg_dist_partition
                WHERE logicalrelid = pg_catalog.to_regclass('\(decisive)')
                """)
            return rows.count == 1 ? (rows.string(0, 0), rows.string(0, 1)) : nil
        } catch {
            throw .database(error)
        }
    }

    /// Group 0 is the coordinator. A secondary of a worker has the worker's group and is ignored;
    /// only state 1 is good.
    private static func placements(_ connection: Connection) throws(Failure) -> [Placement] {
        do throws(PostgresError) {
            let rows = try connection.query(
                """
                SELECT s.shardid::bigint, s.shardminvalue, s.shardmaxvalue, n.groupid::integer,
                    n.nodename::text, n.nodeport::integer
                FROM pg_catalog.pg_dist_shard s
                LEFT JOIN (
                    pg_catalog.pg_dist_placement p
                    JOIN pg_catalog.pg_dist_node n
                        ON n.groupid = p.groupid AND n.noderole = 'primary' AND n.isactive
                ) ON p.shardid = s.shardid AND p.shardstate = 1
                WHERE s.logicalrelid = pg_catalog.to_regclass('\(decisive)')
                """)
            return (0..<rows.count).map { placement(rows, $0) }
        } catch {
            throw .database(error)
        }
    }

    private static func placement(_ rows: Rows, _ row: Int) -> Placement {
        let owner: ShardOwner? =
            if rows.isNull(row, 3) {
                nil
            } else if rows.int32(row, 3) == 0 {
                .coordinator
            } else {
                .worker(host: rows.string(row, 4), port: Int(rows.int32(row, 5)))
            }
        return Placement(
            shard: rows.int64(row, 0), low: rows.isNull(row, 1) ? nil : rows.string(row, 1),
            high: rows.isNull(row, 2) ? nil : rows.string(row, 2), owner: owner)
    }
}
