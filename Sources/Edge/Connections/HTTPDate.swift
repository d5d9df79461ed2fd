/// A moment as HTTP's `Date` says it: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
struct HTTPDate: Equatable, Sendable {
    let unixSeconds: Int64
    let text: String

    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// - Parameter unixSeconds: not before 1970, not after 9999.
    init(unixSeconds: Int64) {
        precondition(unixSeconds >= 0, "BUG: unixSeconds=\(unixSeconds)")
        self.unixSeconds = unixSeconds
        let days = Int(unixSeconds / 86_400)
        let second = Int(unixSeconds % 86_400)
        var (year, day) = (1970, days)
        while day >= Self.length(of: year) {
            day -= Self.length(of: year)
            year += 1
        }
        var month = 0
        while day >= Self.length(of: month, in: year) {
            day -= Self.length(of: month, in: year)
            month += 1
        }
        let clock = [second / 3600, second / 60 % 60, second % 60].map(Self.twoDigits)
        text =
            "\(Self.days[days % 7]), \(Self.twoDigits(day + 1)) \(Self.months[month]) \(year) "
            + clock.joined(separator: ":") + " GMT"
    }

    private static func twoDigits(_ value: Int) -> String {
        value < 10 ? "0\(value)" : "\(value)"
    }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func length(of year: Int) -> Int { isLeap(year) ? 366 : 365 }

    private static func length(of month: Int, in year: Int) -> Int {
        switch month {
        case 1: isLeap(year) ? 29 : 28
        case 3, 5, 8, 10: 30
        default: 31
        }
    }
}
