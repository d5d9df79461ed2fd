import Times

/// A day of UTC.
public struct Day: Hashable, Comparable, Sendable {
    /// Days since 2000-01-01, as PostgreSQL counts them.
    public let number: Int32

    /// From the database's own count.
    public init(number: Int32) {
        self.number = number
    }

    /// - Parameter text: `YYYY-MM-DD` or `YYYYMMDD`, a day of the calendar; nil for all else.
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

    /// Earlier comes first.
    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    /// That many days before.
    public func before(days: Int) -> Day { Day(number: number - Int32(days)) }
}

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

/// A table whose days can leave: readings, and the sums that are made of them.
public enum RetainedKind: String, CaseIterable, Sendable, Codable, Comparable {
    /// Positions.
    case gps
    /// Measurements.
    case vital
    /// What happened.
    case event
    /// Distances by hour.
    case gpsRollup = "gps_rollup"
    /// Measurements by hour.
    case vitalRollup = "vital_rollup"

    /// Sums, not what devices sent.
    public var isRollup: Bool { self == .gpsRollup || self == .vitalRollup }

    /// The column by which the table is cut into days.
    var timeColumn: String { isRollup ? "hour" : "t" }

    /// In the order of the cases.
    public static func < (left: Self, right: Self) -> Bool { left.place < right.place }

    private var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Which days are to leave. Decides only.
public enum RetentionPlan {
    /// The partitions that are older than their limit, the oldest day first.
    ///
    /// With a limit of 30 days, on March 31st, February 28th leaves and March 1st stays: each
    /// reading has been there for 30 days and more, by whatever time of its day and of today.
    ///
    /// - Parameters:
    ///   - names: all partitions; names that are not a day's are left alone.
    ///   - today: by the database's clock, so that all nodes agree.
    ///   - kept: what was brought back for a while.
    public static func due(
        names: some Sequence<String>, today: Day, kept: Set<DayPartition> = [],
        _ configuration: RetentionConfiguration
    ) -> [DayPartition] {
        names.compactMap { DayPartition(name: $0) }.filter { partition in
            let days =
                partition.kind.isRollup ? configuration.rollupDays : configuration.readingDays
            return days > 0 && partition.day < today.before(days: days) && !kept.contains(partition)
        }.sorted()
    }
}
