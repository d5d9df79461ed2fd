import Postgres

/// What a start wants of its database, in this order: the private cluster's server, the schema, where
/// rows belong, the issued keys.
///
/// A node that has never served waits for all of it, and ends with what fails: nothing was
/// acknowledged yet, and who starts it for the first time wants to hear what is wrong with the
/// configuration.
///
/// A node that has served before may hold data that was acknowledged, and devices rely on it. It waits
/// for a moment only (`SLUICE_START_WAIT_MAX`) and listens then, whatever its database does: is
/// unreachable, frozen, read-only, locked, a standby, refuses the role, can't be migrated now. Batches
/// go to the spool. What was not done goes on by itself and is tried again by its keeper:
/// ``ClusterKeeper``, ``SchemaKeeper``, ``RouteKeeper``, the `KeyRefresher`, the lanes.
///
/// It ends nevertheless with what waiting does not mend:
/// - a schema that is newer than this binary, or that no release has made; a server that is too old;
/// - no programs of PostgreSQL, a data directory in use, a directory that can't be made;
/// - a spool that can't be opened; an address that is in use; TLS and access that can't be had.
struct DatabaseOpening: Sendable {
    let host: DatabaseHost
    let schema: SchemaKeeper
    let routes: RouteKeeper
    let refreshKeys: @Sendable () async throws -> Void

    /// - Returns: on Citus, where rows are.
    func open() async -> Result<ShardTable?, StartFailure> {
        do {
            let host = host
            try await blocking { () throws(StartFailure) in try host.start() }
            try await schema.migrate()
            var shards: ShardTable?
            if case .shards(let table) = await routes.read() { shards = table }
            try await refreshKeys()
            return .success(shards)
        } catch let error as StartFailure {
            return .failure(error)
        } catch let error as PostgresError {
            return .failure(.database(error))
        } catch {
            preconditionFailure("BUG: the database was opened with \(error)")
        }
    }
}

extension StartFailure {
    /// Waiting does not mend it, whatever happens to the database meanwhile.
    var isFinal: Bool {
        switch self {
        case .migration(.databaseNewer), .migration(.checksumDiffers): true
        case .database(let error), .migration(.database(let error)):
            // A server that is older than we can work with.
            error.kind == .connectionFailed && error.sqlState == "0A000"
        case .migration(.failed), .cluster: false
        case .configuration, .configurationFileUnreadable, .dataDirectoryUnusable, .noDatabase,
            .keyFileUnusable, .noRandomness, .access, .media, .spool, .citus, .tls, .listen:
            true
        }
    }
}
