/// Which parts; all conditions must hold.
public struct ArchiveSelection: Sendable {
    /// From this day on.
    public var first: Day?
    /// Up to and with this day.
    public var last: Day?
    /// Of these tables; empty: of all.
    public var kinds: Set<RetainedKind> = []

    /// All of them.
    public init() {}

    func contains(_ partition: DayPartition) -> Bool {
        (first.map { partition.day >= $0 } ?? true) && (last.map { partition.day <= $0 } ?? true)
            && (kinds.isEmpty || kinds.contains(partition.kind))
    }
}
