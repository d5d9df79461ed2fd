import Postgres
import Synchronization

/// The state of ``UnreplicatedCommits`` in numbers.
public struct UnreplicatedFigures: Sendable, Equatable {
    /// Nothing was ever kept.
    public init() {}

    /// Memory of what may be on the primary only.
    public internal(set) var bytes = 0
    /// Memory of commits that were dropped for lack of room or because all standbys were gone.
    public internal(set) var droppedBytes = 0
    /// Readings and units that were written to the spool after a failover.
    public internal(set) var returned = 0
    /// Readings and units that still have to be.
    public internal(set) var returning = 0
    /// Readings and units that stopped waiting for standbys, and are in the spool or go there.
    public internal(set) var overdue = 0
    /// Standbys that count.
    public internal(set) var standbys = 0
    /// The role may not see the standbys' positions.
    public internal(set) var isHidden = false
    /// Slots of standbys whose log the primary has removed.
    public internal(set) var lostSlots: Set<String> = []
}
