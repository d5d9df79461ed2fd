import Times

/// A calendar date without a time zone, counted like PostgreSQL's `date`.
public struct LocalDay: Hashable, Comparable, Sendable {
    /// Days since 2000-01-01; negative before.
    public let daysSince2000: Int32

    /// Takes the database's count of days.
    public init(daysSince2000: Int32) { self.daysSince2000 = daysSince2000 }

    /// - Parameter text: `2026-01-24`. The result is nil for another form, and for a day that does
    ///   not exist.
    public init?(_ text: String) {
        guard let date = CivilDate(text) else { return nil }
        daysSince2000 = Int32(date.daysSince2000)
    }

    private var date: CivilDate { CivilDate(daysSince2000: Int(daysSince2000)) }

    /// `2026-01-24`
    public var text: String { date.text }

    /// `Saturday, 24 January 2026`
    public var words: String {
        let date = date
        // 2000-01-01 was a Saturday.
        let weekday = Self.weekdays[((Int(daysSince2000) % 7) + 7) % 7]
        return "\(weekday), \(date.day) \(Self.months[date.month - 1]) \(date.year)"
    }

    private static let weekdays = [
        "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday",
    ]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]

    /// Compares the dates; an earlier date is less.
    public static func < (left: Self, right: Self) -> Bool {
        left.daysSince2000 < right.daysSince2000
    }
}
