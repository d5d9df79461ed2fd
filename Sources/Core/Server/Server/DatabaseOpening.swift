import Auth
import Foundation
import Ingest
import Logging
import Postgres
import Readings
import SpoolLog

/// What a start needs from its database, in this order: the private cluster's server, the schema,
/// the location of shards, the issued keys.
///
/// A node that has never served waits for all of it, and fails with the first error: it has not
/// acknowledged anything, and the operator wants to see what is wrong with the configuration.
///
/// A node that has served before may hold acknowledged data, and devices rely on it. It waits
/// briefly (`SLUICE_START_WAIT_MAX`) and then listens, whatever the database does: it is
/// unreachable, frozen, read-only, locked or a standby, rejects the role, or can't be migrated now.
/// Batches go to the spool. Its keepers continue or retry the missing steps: ``ClusterKeeper``,
/// ``SchemaKeeper``, ``RouteKeeper``, the `KeyRefresher`, the lanes.
///
/// The start still fails with errors that waiting can't fix, if they are known by then:
/// - the schema is newer than this binary, or no release made it; the server is too old;
/// - PostgreSQL's programs are missing, the data directory is in use or can't be created;
/// - the spool can't be opened; the address is in use; TLS or authentication can't be set up.
struct DatabaseOpening: Sendable {
    let host: DatabaseHost
    let schema: SchemaKeeper
    let routes: RouteKeeper
    let refreshKeys: @Sendable () async throws -> Void

    /// - Returns: on Citus, where each shard is.
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
