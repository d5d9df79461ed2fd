import Glibc
import Postgres
public import Readings

/// Selects parts that hold any of the days; all conditions must hold.
public struct ArchiveSelection: Sendable {
    /// The first day.
    public var first: Day?
    /// The last day, inclusive.
    public var last: Day?
    /// The tables; empty: all.
    public var kinds: Set<DayTable> = []

    /// Selects all parts.
    public init() {}

    func contains(_ part: ArchivedPart) -> Bool { contains(part.partition, last: part.lastDay) }

    /// - Parameter end: the partition's last day.
    func contains(_ partition: DayPartition, last end: Day) -> Bool {
        (first.map { end >= $0 } ?? true)
            && (last.map { partition.day <= $0 } ?? true)
            && (kinds.isEmpty || kinds.contains(partition.kind))
    }
}
