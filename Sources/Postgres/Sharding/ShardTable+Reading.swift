extension ShardTable {
    /// Why there is no table of shards.
    public enum Failure: Error, Equatable, Sendable {
        /// The catalogs can't be read.
        case database(PostgresError)
        /// What they say can't be used.
        case fault(ShardTableFault)
    }

    /// The one table whose shards decide: all that is per device is co-located with it.
    static let decisive = "sluice.device_state"

    /// Reads where the rows of devices are, from a coordinator or any node that knows the catalogs.
    ///
    /// - Returns: nil on plain PostgreSQL, and where Citus has not been told of our tables.
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

    /// Citus' letter for how the table is distributed, and the column; nil: it is not.
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

    /// Group 0 is the coordinator. A secondary of a worker has the worker's group and is not asked;
    /// state 1 is the one good one.
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
