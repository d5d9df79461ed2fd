import Postgres
import Readings
import Scanner
import Synchronization

/// Decides which lane takes what, where lanes write, and what may be one transaction.
protocol Placement: Sendable {
    func lane(of device: DeviceKey) -> Int
    /// - Parameter route: see ``WorkUnit/route``.
    func lane(ofUnit route: UInt64) -> Int

    /// Where a lane is connected while it has nothing to write.
    func destination(ofLane lane: Int) -> Destination
    /// Where a group is written: one of ``groups(of:bytesMax:)``, or a part of one.
    func destination(of group: Group) -> Destination
    /// Where partitions are made.
    var definitions: Destination { get }

    /// Bytes that a lane takes from its queue at once.
    func bytesTaken(byLane lane: Int, _ configuration: IngestionConfiguration) -> Int
    /// Splits what was taken into groups, each one transaction.
    func groups(of taken: PendingGroup, bytesMax: Int) -> [PendingGroup]

    /// How many lanes do not write to the node that has their rows: these go through the configured
    /// database, or the lane is away.
    ///
    /// - Parameter isAway: whether the lane of that number does not write.
    func lanesNotDirect(isAway: (Int) -> Bool) -> Int
    /// The same lanes with the cause, unless the configuration asks for it.
    func detour(isAway: (Int) -> Bool) -> IndirectRoute?
}

extension Placement {
    static func lane(ofHash hash: UInt64, among count: Int) -> Int {
        Int(truncatingIfNeeded: hash >> 32) % count
    }
}
