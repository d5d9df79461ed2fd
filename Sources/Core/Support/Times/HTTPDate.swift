/// A moment as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// - Source: RFC 9110, section 5.6.7, `IMF-fixdate`; the obsolete forms are neither written nor
///   read.
public struct HTTPDate: Equatable, Sendable {
    /// Whole seconds since 1970.
    public let unixSeconds: Int64
    /// In GMT, with the weekday.
    public let text: String

    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// - Parameter unixSeconds: up to the end of the year 9999. A clock before 1970 counts as 0.
    public init(unixSeconds: Int64) {
        let seconds = max(0, unixSeconds)
        self.unixSeconds = seconds
        let days = Int(seconds / 86_400)
        let second = Int(seconds % 86_400)
        let date = CivilDate(daysSince2000: days + CivilDate.unixEpochDay)
        let clock = [second / 3600, second / 60 % 60, second % 60].map(Digits.two)
        text =
            "\(Self.weekdays[days % 7]), \(Digits.two(date.day)) \(Self.months[date.month - 1]) "
            + "\(date.year) " + clock.joined(separator: ":") + " GMT"
    }

    /// Reads the form that ``text`` has, byte for byte; nil for any other.
    ///
    /// The day must exist in the calendar, in the years 1 to 9999, and the zone must be `GMT`.
    /// Second 60 counts as the first second of the next minute. The weekday may be any of the
    /// seven.
    public static func unixSeconds(_ text: some StringProtocol) -> Int64? {
        guard text.utf8.count == 29 else { return nil }
        let bytes = Array(text.utf8)
        guard weekdays.contains(where: { bytes[0..<3].elementsEqual($0.utf8) }),
            bytes[3..<5].elementsEqual(", ".utf8), bytes[7] == UInt8(ascii: " "),
            let month = months.firstIndex(where: { bytes[8..<11].elementsEqual($0.utf8) }),
            bytes[11] == UInt8(ascii: " "), let day = Digits.number(bytes[5..<7]),
            let year = Digits.number(bytes[12..<16]), bytes[16] == UInt8(ascii: " "),
            let date = CivilDate(year: year, month: month + 1, day: day),
            let second = secondOfDay(bytes[17..<25]), bytes[25..<29].elementsEqual(" GMT".utf8)
        else { return nil }
        return Int64((date.daysSince2000 - CivilDate.unixEpochDay) * 86_400 + second)
    }

    /// - Parameter clock: `08:49:37`
    private static func secondOfDay(_ clock: ArraySlice<UInt8>) -> Int? {
        let start = clock.startIndex
        guard clock[start + 2] == UInt8(ascii: ":"), clock[start + 5] == UInt8(ascii: ":"),
            let hour = Digits.number(clock[start..<start + 2]), hour <= 23,
            let minute = Digits.number(clock[start + 3..<start + 5]), minute <= 59,
            let second = Digits.number(clock[start + 6..<start + 8]), second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }
}
