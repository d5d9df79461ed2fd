import Synchronization

/// What an answer that says "committed" promises; the value of the header `X-Durability`.
public enum Durability: String, CaseIterable, Sendable {
    /// On the primary's disk, and on a standby's where the primary's commits wait for one.
    case committed
    /// On the disks of the standbys as well; see ``UnreplicatedCommits``.
    case replicated
}
