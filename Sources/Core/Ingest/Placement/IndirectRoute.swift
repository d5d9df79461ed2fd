import Instruments
package import Postgres

/// On Citus: the lanes whose rows do not go straight to the node that has them, at one moment.
///
/// There is none if lanes are to write through the configured database
/// (`SLUICE_LANES_TO_NODES=false`).
package struct IndirectRoute: Sendable, Equatable {
    /// Why.
    package enum Cause: Sendable, Equatable {
        /// There are fewer lanes for rows than nodes: all write through the configured database.
        case fewerLanesThanNodes(Int)
        /// Lanes are away, and their batches go to the spool: these nodes take no rows, or can't be
        /// reached under the names that the coordinator has.
        case unreachable([ShardOwner])
    }

    /// How many lanes.
    package let lanes: Int
    /// How many lanes have shards.
    package let lanesWithShards: Int
    package let cause: Cause
}
