import Readings
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
