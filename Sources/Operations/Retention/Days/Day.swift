public import Readings
import Times

/// A day in UTC.
public struct Day: Hashable, Comparable, Sendable {
    /// Days since 2000-01-01, as PostgreSQL counts them.
    public let number: Int32

    /// A day of PostgreSQL's count.
    public init(number: Int32) {
        self.number = number
    }

    /// - Parameter text: `YYYY-MM-DD` or `YYYYMMDD`, a calendar day; nil for anything else.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        if text.utf8.count == 8 {
            text = "\(text.prefix(4))-\(text.dropFirst(4).prefix(2))-\(text.suffix(2))"
        }
        guard let date = CivilDate(text) else { return nil }
        self.init(number: Int32(date.daysSince2000))
    }

    /// `YYYY-MM-DD`
    public var text: String { CivilDate(daysSince2000: Int(number)).text }

    /// `YYYYMMDD`, as in names of partitions and files.
    public var compactText: String { text.filter { $0 != "-" } }

    /// Earlier days sort first.
    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    /// The day that many days earlier.
    public func before(days: Int) -> Day { Day(number: number - Int32(days)) }
}

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

/// Decides which days leave.
public enum RetentionPlan {
    /// The partitions whose last day is older than their limit, oldest first.
    ///
    /// With a limit of 30 days, on March 31st, February 28th leaves and March 1st stays: every
    /// reading that leaves is at least 30 days old, whatever its time of day.
    ///
    /// - Parameters:
    ///   - names: all partitions; names of no day are ignored.
    ///   - today: by the database's clock, so that all nodes agree.
    ///   - partitionDays: the length of a partition.
    ///   - kept: restored days that may not leave yet.
    public static func due(
        names: some Sequence<String>, today: Day, partitionDays: Int = 1,
        kept: Set<DayPartition> = [], _ configuration: RetentionConfiguration
    ) -> [DayPartition] {
        names.compactMap { DayPartition(name: $0) }.filter { partition in
            let days =
                partition.kind.isRollup ? configuration.rollupDays : configuration.readingDays
            return days > 0 && partition.day < today.before(days: days + partitionDays - 1)
                && !kept.contains(partition)
        }.sorted()
    }
}
