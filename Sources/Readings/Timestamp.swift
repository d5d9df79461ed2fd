/// A moment as PostgreSQL's `timestamptz` counts it: microseconds since 2000-01-01 00:00:00 UTC.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Since 2000-01-01 00:00:00 UTC; negative before.
    public var microseconds: Int64

    /// From the database's own count.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Seconds between the Unix epoch and 2000-01-01.
    public static let unixEpochOffset: Int64 = 946_684_800
    /// UTC days have no leap seconds here, nor in PostgreSQL.
    public static let microsecondsPerDay: Int64 = 86_400_000_000

    /// From a Unix clock; what is below a microsecond is cut.
    public init(unixSeconds: Int64, nanoseconds: Int64 = 0) {
        microseconds = (unixSeconds - Self.unixEpochOffset) * 1_000_000 + nanoseconds / 1000
    }

    /// Earlier comes first.
    public static func < (left: Self, right: Self) -> Bool {
        left.microseconds < right.microseconds
    }

    /// The UTC day, counted from 2000-01-01; floors, so that it is right before 2000 too.
    public var day: Int32 {
        let (quotient, remainder) = microseconds.quotientAndRemainder(
            dividingBy: Self.microsecondsPerDay)
        return Int32(remainder < 0 ? quotient - 1 : quotient)
    }
}
