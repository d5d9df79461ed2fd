/// A day of the proleptic Gregorian calendar, without a time zone.
///
/// Days are counted from 2000-01-01, as PostgreSQL counts a `date`. Every conversion takes
/// constant time. It uses years that begin in March, so that the leap day is the last day of a
/// year. Then the lengths of the months repeat every five months (153 days), and those of the
/// years every 400 years (146 097 days).
@frozen
public struct CivilDate: Hashable, Comparable, Sendable {
    /// Year 0 is the one before year 1.
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// Of the month, from 1.
    public let day: Int

    /// 1970-01-01, counted from 2000-01-01.
    public static let unixEpochDay = -10_957

    /// Takes any day, also outside the years 1 to 9999.
    public init(daysSince2000: Int) {
        let days = daysSince2000 + Self.daysToYear2000
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// Nil for days that the calendar does not have, and outside the years 1 to 9999.
    @inlinable
    public init?(year: Int, month: Int, day: Int) {
        guard year >= 1, year <= 9999, month >= 1, month <= 12, day >= 1,
            day <= Self.length(ofMonth: month, year: year)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// - Parameter text: `YYYY-MM-DD` with ASCII digits; nil for anything else, and for what
    ///   ``init(year:month:day:)`` refuses.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 10 else { return nil }
        let bytes = Array(text.utf8)
        guard bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = Digits.number(bytes[0..<4]), let month = Digits.number(bytes[5..<7]),
            let day = Digits.number(bytes[8..<10])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// Negative before 2000-01-01.
    @inlinable
    public var daysSince2000: Int {
        let marchYear = month > 2 ? year : year - 1
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - Self.daysToYear2000
    }

    /// `YYYY-MM-DD`. Years after 9999 have more digits; years before 0 have a minus sign.
    public var text: String {
        let digits = String(year.magnitude)
        let zeros = String(repeating: "0", count: max(0, 4 - digits.count))
        return (year < 0 ? "-" : "") + zeros + digits + "-" + Digits.two(month) + "-"
            + Digits.two(day)
    }

    /// Earlier comes first.
    public static func < (left: Self, right: Self) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    /// From 0000-03-01 to 2000-01-01.
    @inlinable static var daysToYear2000: Int { 730_425 }

    @inlinable
    static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
