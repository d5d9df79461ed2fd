import Instruments
package import Postgres

/// On Citus: lanes whose rows do not go straight to the node that has them, as of one moment.
///
/// Where lanes are told to go by way of the configured database (`SLUICE_LANES_TO_NODES=false`) there
/// is none.
package struct Detour: Sendable, Equatable {
    /// Why.
    package enum Cause: Sendable, Equatable {
        /// Not each node can have a lane: all go by way of the configured database.
        case fewerLanesThanNodes(Int)
        /// Lanes are away, and their batches go to the spool: these nodes take no rows, or can't be
        /// reached under the names that the coordinator has.
        case unreachable([ShardOwner])
    }

    /// How many lanes.
    package let lanes: Int
    /// Of how many that have shards.
    package let lanesWithShards: Int
    package let cause: Cause
}

extension Arrangement {
    /// - Parameter isAway: whether the lane of that number does not write.
    func detour(isAway: (Int) -> Bool) -> Detour? {
        guard mayGoToOwners else { return nil }
        let lanes = lanesNotDirect(isAway: isAway)
        guard lanes > 0 else { return nil }
        let away = (0..<laneCount).compactMap { lane -> ShardOwner? in
            guard case .shards(let owner, _) = destination(ofLane: lane), isAway(lane) else {
                return nil
            }
            return owner
        }
        return Detour(
            lanes: lanes, lanesWithShards: laneCountWithShards,
            cause: goesToOwners
                ? .unreachable(Set(away).sorted()) : .fewerLanesThanNodes(table.owners.count))
    }
}

/// What an operator is to be told of detours; decides only.
///
/// One that begins or is another than before is told at once, but at most once a minute; the end of
/// one that was told is told at once.
package struct DetourNews {
    package enum Event: Equatable {
        /// - Parameter times: how often it began or became another since the last time.
        case began(Detour, times: Int)
        case ended
    }

    private var last: Detour?
    private var told: Detour?
    private var toldAt: ContinuousClock.Instant?
    private var times = 0

    package init() {}

    /// - Parameter detour: as it is now; asked some times a second.
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
