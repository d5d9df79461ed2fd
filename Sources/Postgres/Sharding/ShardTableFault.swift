/// Why rows can't be routed by what the catalogs of Citus say. Shards are named by their ids.
public enum ShardTableFault: Error, Equatable, Sendable {
    /// The table is distributed in another way than by hash: Citus' letter for it.
    case notHashDistributed(method: String)
    /// It is distributed by another column than `device_key`.
    case otherColumn(String)
    /// It has no shards.
    case empty
    /// A bound of the shard is not a 32-bit number, or the lower one is above the upper one.
    case boundsUnreadable(shard: Int64)
    /// No node that is in use has the shard.
    case notPlaced(shard: Int64)
    /// Several nodes have it: Citus' statement-based replication, which commits in two phases.
    case placedTwice(shard: Int64)
    /// Two shards have hashes in common.
    case overlap(Int64, Int64)
    /// Hashes behind this shard belong to none; nil: those in front of all.
    case gap(behind: Int64?)
}
