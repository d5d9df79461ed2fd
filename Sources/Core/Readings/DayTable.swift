/// A table partitioned by day: a kind's readings, or their sums.
public struct DayTable: Hashable, Comparable, Sendable, CaseIterable {
    /// The kind of the readings.
    public let kind: ReadingKind
    /// Sums, not what devices sent.
    public let isRollup: Bool

    /// The table of the readings themselves.
    public init(_ kind: ReadingKind) { self.init(kind, isRollup: false) }

    private init(_ kind: ReadingKind, isRollup: Bool) {
        self.kind = kind
        self.isRollup = isRollup
    }

    /// Readings first.
    public static let allCases: [DayTable] =
        ReadingKind.allCases.map { DayTable($0) }
        + ReadingKind.allCases.filter(\.schema.hasRollup).map { DayTable($0, isRollup: true) }

    /// In the schema `sluice`.
    public var name: String { isRollup ? "\(kind.name)_rollup" : kind.name }

    /// The column by which the table is partitioned.
    public var timeColumn: String { isRollup ? "hour" : "t" }

    /// The beginning of the comment on a day's copy that `sluice archive restore --into` made in
    /// another schema; an erasure finds it by that.
    public static let copyMark = "Copy by sluice archive restore:"

    /// In the order of ``allCases``.
    public static func < (left: Self, right: Self) -> Bool {
        (left.isRollup ? 1 : 0, left.kind.rawValue) < (right.isRollup ? 1 : 0, right.kind.rawValue)
    }
}

/// By name, as in files and on the command line.
extension DayTable: RawRepresentable, Codable {
    /// Nil unless it is the ``name`` of a table.
    public init?(rawValue: String) {
        guard let table = Self.allCases.first(where: { $0.name == rawValue }) else { return nil }
        self = table
    }

    /// See ``name``.
    public var rawValue: String { name }
}
