/// Backup and replication, as far as the server tells.
public struct ArchiveFacts: Sendable {
    /// The last segment could not be archived.
    public var isFailing = false
    /// Log that inactive replication slots keep.
    public var slotBytes = 0
    /// Such slots.
    public var slots: [String] = []

    /// Standbys that follow now; nil: this role may not see how far they are.
    public var standbys: [StandbyFacts]? = []

    /// No trouble.
    public init() {}
}
