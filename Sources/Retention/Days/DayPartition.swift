/// One day of one table.
public struct DayPartition: Hashable, Comparable, Sendable {
    /// The table.
    public let kind: RetainedKind
    /// The day.
    public let day: Day

    /// Of that table and day.
    public init(_ kind: RetainedKind, _ day: Day) {
        self.kind = kind
        self.day = day
    }

    /// - Parameter name: as `sluice.ensure_days` gives them, such as `gps_20250101`; nil for all
    ///   else, also for a partition that is about to leave.
    public init?(name: some StringProtocol) {
        guard let day = Day(name.suffix(8)),
            let kind = RetainedKind(rawValue: String(name.dropLast(9))),
            name == "\(kind.rawValue)_\(day.compactText)"
        else { return nil }
        self.init(kind, day)
    }

    /// In schema `sluice_partitions`.
    public var name: String { "\(kind.rawValue)_\(day.compactText)" }

    /// The oldest first, so that a run that is stopped has done whole days.
    public static func < (left: Self, right: Self) -> Bool {
        (left.day, left.kind) < (right.day, right.kind)
    }
}
