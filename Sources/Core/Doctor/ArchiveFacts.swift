import Postgres

/// State of backup and replication, as far as this role may see it.
public struct ArchiveFacts: Sendable {
    /// Archiving the last WAL segment failed.
    public var isFailing = false
    /// WAL that inactive replication slots retain, in bytes.
    public var slotBytes = 0
    /// The names of these slots.
    public var slots: [String] = []
    /// Physical slots whose WAL was removed.
    public var lostSlots: [String] = []

    /// The connected standbys; nil: this role may not see their positions.
    public var standbys: [StandbyFacts]? = []

    /// Archiving works; no slots, no standbys.
    public init() {}
}
