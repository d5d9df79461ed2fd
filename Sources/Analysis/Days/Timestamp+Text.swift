public import Readings

extension Timestamp {
    /// The UTC date.
    public var utcDay: LocalDay { LocalDay(daysSince2000: day) }

    /// `2026-01-24T15:30:00Z`; what is below a second is cut, for some clients read no fractions.
    public var iso8601: String {
        let seconds =
            microseconds.flooringDivision(by: 1_000_000)
            - microseconds.flooringDivision(by: Self.microsecondsPerDay) * 86_400
        let digits = [seconds / 3600, seconds / 60 % 60, seconds % 60]
            .map { UserCalendar.twoDigits(Int($0)) }
        return utcDay.text + "T" + digits.joined(separator: ":") + "Z"
    }
}
