/// Why rows can't be routed by the catalogs of Citus. Shards are named by their ids.
public enum ShardTableFault: Error, Equatable, Sendable {
    /// The table is not distributed by hash; Citus' letter for its method.
    case notHashDistributed(method: String)
    /// It is distributed by another column than `device_key`.
    case otherColumn(String)
    /// It has no shards.
    case empty
    /// A bound of the shard is not a 32-bit number, or the lower one is above the upper one.
    case boundsUnreadable(shard: Int64)
    /// No active node has the shard.
    case notPlaced(shard: Int64)
    /// Several nodes have the shard: Citus' statement-based replication, which commits in two
    /// phases.
    case placedTwice(shard: Int64)
    /// Two shards have hashes in common.
    case overlap(Int64, Int64)
    /// Hashes after this shard belong to no shard; nil means hashes before the first shard.
    case gap(behind: Int64?)
}
