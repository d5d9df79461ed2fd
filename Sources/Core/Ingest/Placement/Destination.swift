package import Postgres
import Synchronization

/// Where a lane is connected, and what it writes there.
package enum Destination: Equatable, Sendable {
    /// The configured database. On plain PostgreSQL there is nothing else.
    case database
    /// On Citus: rows of shards, on the node that has them; nil: through the configured database.
    ///
    /// `heartbeatKey` is a key of one of those shards, for a row that proves that the node takes rows.
    case shards(ShardOwner?, heartbeatKey: Int64)
    /// On Citus: rows that belong to no device, and definitions.
    case coordinator

    var isOfShards: Bool {
        if case .shards = self { true } else { false }
    }
}
