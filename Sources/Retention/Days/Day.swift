import Readings

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
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 1 || parts.map(\.utf8.count) == [4, 2, 2] else { return nil }
        let digits = parts.joined(separator: "")
        guard digits.utf8.count == 8, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let year = Int(digits.prefix(4)), let month = Int(digits.dropFirst(4).prefix(2)),
            let day = Int(digits.suffix(2)), year > 0, (1...12).contains(month), day > 0
        else { return nil }
        // Years that begin in March have the leap day at their end.
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear
        // Counted so, 2000-01-01 is day 730425.
        self.init(number: Int32(days - 730_425))
        guard text == self.text || text == compactText else { return nil }
    }

    /// `YYYY-MM-DD`
    public var text: String {
        Timestamp(microseconds: Int64(number) * Timestamp.microsecondsPerDay).dayText
    }

    /// `YYYYMMDD`, as in names of partitions and files.
    public var compactText: String { text.filter { $0 != "-" } }

    /// Earlier comes first.
    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    /// That many days before.
    public func before(days: Int) -> Day { Day(number: number - Int32(days)) }
}
