import Schema

/// Distributes a migrated database over the nodes of a Citus cluster.
///
/// The statements are in `sql/citus.sql`. They may be run any number of times, and are run again
/// after each upgrade, so that new tables are distributed too.
public enum Citus {
    /// Why nothing was distributed.
    public enum Failure: Error, Equatable, Sendable {
        /// The database has no extension `citus`.
        case extensionMissing
        /// The extension is older than the oldest supported version.
        case tooOld(version: String)
        /// This is a worker: definitions are changed on the coordinator only.
        case notCoordinator
        /// No node may have shards.
        case noNodes
        /// A statement failed; this run has changed nothing unless it failed while reading the
        /// shards.
        case database(PostgresError)
        /// The tables are distributed, but the catalogs are not as expected.
        case shards(ShardTableFault)
    }

    /// The first version in which every node can read and write all shards.
    static let versionMin = 11

    /// Distributes the tables that are not distributed yet.
    ///
    /// - Parameter connection: to the coordinator, with a deadline that leaves time to move the
    ///   existing rows.
    /// - Returns: the shards of the per-device tables.
    public static func distribute(on connection: Connection) throws(Failure) -> ShardTable {
        try demandCoordinator(connection)
        do throws(PostgresError) {
            try connection.execute("BEGIN; SET LOCAL search_path = pg_catalog")
            try connection.execute(String(decoding: Schema.citus, as: UTF8.self))
            try connection.commit()
        } catch {
            try? connection.rollback()
            throw .database(error)
        }
        do throws(ShardTable.Failure) {
            guard let table = try ShardTable.read(on: connection) else { throw .fault(.empty) }
            return table
        } catch {
            switch error {
            case .database(let error): throw .database(error)
            case .fault(let fault): throw .shards(fault)
            }
        }
    }

    private static func demandCoordinator(_ connection: Connection) throws(Failure) {
        guard let version = try version(connection) else { throw .extensionMissing }
        guard let major = version.split(separator: ".").first.flatMap({ Int($0) }),
            major >= versionMin
        else { throw .tooOld(version: version) }
        let (group, nodes) = try place(connection)
        guard group == 0 else { throw .notCoordinator }
        guard nodes > 0 else { throw .noNodes }
    }

    private static func version(_ connection: Connection) throws(Failure) -> String? {
        do throws(PostgresError) {
            let rows = try connection.query(
                "SELECT extversion FROM pg_catalog.pg_extension WHERE extname = 'citus'")
            return rows.count == 1 ? rows.string(0, 0) : nil
        } catch {
            throw .database(error)
        }
    }

    /// This node's group, and how many nodes may have shards.
    private static func place(
        _ connection: Connection
    ) throws(Failure) -> (group: Int32, nodes: Int64) {
        do throws(PostgresError) {
            let rows = try connection.query(
                """
                SELECT (SELECT groupid FROM pg_catalog.pg_dist_local_group),
                    (SELECT count(*) FROM pg_catalog.pg_dist_node
                        WHERE isactive AND shouldhaveshards AND noderole = 'primary')
                """)
            return (rows.int32(0, 0), rows.int64(0, 1))
        } catch {
            throw .database(error)
        }
    }
}

extension PostgresError {
    /// On Citus: the node may have lost the shard or be gone, so the table of shards should be read
    /// again. Decided by SQLSTATE alone, because messages and names differ between shards: a
    /// connection between nodes (08), a state that a move causes (55), the shard's table is gone
    /// (42P01), or one of the faults for which Citus has no code (XX000).
    public var mayComeOfMovedShard: Bool {
        if isConnectionClosed { return true }
        guard let sqlState else { return false }
        return ["08", "55"].contains(sqlState.classCode)
            || ["42P01", "XX000"].contains(sqlState.description)
    }
}
