package import Postgres

/// Whereto a lane is connected, and what it writes there.
package enum Destination: Equatable, Sendable {
    /// The configured database. On plain PostgreSQL there is nothing else.
    case database
    /// On Citus: rows of shards, on the node that has them; nil: by way of the configured database.
    ///
    /// `beatKey` is a key of one of those shards, for a row that proves that the node takes rows.
    case shards(ShardOwner?, beatKey: Int64)
    /// On Citus: what is no device's, and definitions.
    case coordinator

    var isOfShards: Bool {
        if case .shards = self { true } else { false }
    }
}
