public import Readings
import Times

/// One day of one table; where partitions hold several days, those from `day` on.
public struct DayPartition: Hashable, Comparable, Sendable {
    /// The table.
    public let kind: DayTable
    /// The first day.
    public let day: Day

    /// The partition that begins on that day.
    public init(_ kind: DayTable, _ day: Day) {
        self.kind = kind
        self.day = day
    }

    /// - Parameter name: as `sluice.ensure_days` makes it, such as `gps_20250101`; nil for anything
    ///   else, also for a partition that is leaving.
    public init?(name: some StringProtocol) {
        guard let day = Day(name.suffix(8)),
            let kind = DayTable(rawValue: String(name.dropLast(9))),
            name == "\(kind.rawValue)_\(day.compactText)"
        else { return nil }
        self.init(kind, day)
    }

    /// The name in schema `sluice_partitions`.
    public var name: String { "\(kind.rawValue)_\(day.compactText)" }

    /// Oldest first, so that an interrupted run has finished whole days.
    public static func < (left: Self, right: Self) -> Bool {
        (left.day, left.kind) < (right.day, right.kind)
    }
}
