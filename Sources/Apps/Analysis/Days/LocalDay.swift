/// A date on a calendar, without a time zone. Counts as PostgreSQL's `date` does.
public struct LocalDay: Hashable, Comparable, Sendable {
    /// Days since 2000-01-01; negative before.
    public let daysSince2000: Int32

    /// From the database's own count.
    public init(daysSince2000: Int32) { self.daysSince2000 = daysSince2000 }

    /// - Parameter text: `2026-01-24`; nil for anything else, and for days that no calendar has.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2] else { return nil }
        let numbers = parts.compactMap { part in
            part.allSatisfy { $0 >= 48 && $0 <= 57 }
                ? part.reduce(0) { $0 * 10 + Int($1) - 48 } : nil
        }
        guard numbers.count == 3 else { return nil }
        let (year, month, day) = (numbers[0], numbers[1], numbers[2])
        guard year >= 1, (1...12).contains(month), day >= 1 else { return nil }
        // Years start in March, so that February's end is the year's.
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let since = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear
        daysSince2000 = Int32(since - Self.daysBefore2000)
        guard self.text == text else { return nil }
    }

    /// Days from 0000-03-01 to 2000-01-01.
    private static let daysBefore2000 = 730_425
    /// Days of 400 years.
    private static let daysPerEra = 146_097

    /// Year, month and day of month, all from 1.
    public var parts: (year: Int, month: Int, day: Int) {
        let days = Int(daysSince2000) + Self.daysBefore2000
        let era = (days >= 0 ? days : days - Self.daysPerEra + 1) / Self.daysPerEra
        let dayOfEra = days - era * Self.daysPerEra
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * shifted + 2) / 5 + 1
        )
    }

    /// `2026-01-24`
    public var text: String {
        let (year, month, day) = parts
        let digits = String(year)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "-"
            + UserCalendar.twoDigits(month) + "-" + UserCalendar.twoDigits(day)
    }

    /// `Saturday, 24 January 2026`
    public var words: String {
        let (year, month, day) = parts
        // 2000-01-01 was a Saturday.
        let weekday = Self.weekdays[((Int(daysSince2000) % 7) + 7) % 7]
        return "\(weekday), \(day) \(Self.months[month - 1]) \(year)"
    }

    private static let weekdays = [
        "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday",
    ]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]

    /// Earlier comes first.
    public static func < (left: Self, right: Self) -> Bool {
        left.daysSince2000 < right.daysSince2000
    }
}
