import Instruments
package import Postgres

/// On Citus: the lanes whose rows do not go straight to the node that has them, at one moment.
///
/// There is none if lanes are to write through the configured database
/// (`SLUICE_LANES_TO_NODES=false`).
package struct Detour: Sendable, Equatable {
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

/// Decides when detours are logged.
///
/// A new or changed detour is logged at once, but at most once a minute. The end of a logged detour
/// is logged at once.
package struct DetourNews {
    package enum Event: Equatable {
        /// - Parameter times: how often a detour began or changed since the last time.
        case began(Detour, times: Int)
        case ended
    }

    private var last: Detour?
    private var told: Detour?
    private var toldAt: ContinuousClock.Instant?
    private var times = 0

    package init() {}

    /// - Parameter detour: the current one; called a few times a second.
    package mutating func news(_ detour: Detour?, now: ContinuousClock.Instant) -> Event? {
        if detour != nil, detour != last { times += 1 }
        last = detour
        guard detour != told else { return nil }
        guard let detour else {
            told = nil
            return .ended
        }
        if let toldAt, now - toldAt < Reminder.interval { return nil }
        defer { times = 0 }
        (told, toldAt) = (detour, now)
        return .began(detour, times: times)
    }
}
