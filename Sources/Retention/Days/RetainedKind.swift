/// A table whose days can leave: readings, and the sums that are made of them.
public enum RetainedKind: String, CaseIterable, Sendable, Codable, Comparable {
    /// Positions.
    case gps
    /// Measurements.
    case vital
    /// What happened.
    case event
    /// Distances by minute.
    case gpsRollup = "gps_rollup"
    /// Measurements by minute.
    case vitalRollup = "vital_rollup"

    /// Sums, not what devices sent.
    public var isRollup: Bool { self == .gpsRollup || self == .vitalRollup }

    /// The column by which the table is cut into days.
    var timeColumn: String { isRollup ? "minute" : "t" }

    /// In the order of the cases.
    public static func < (left: Self, right: Self) -> Bool { left.place < right.place }

    private var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
