import Glibc
import Times

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

    /// From a Unix clock; fractions of a microsecond are cut.
    public init(unixSeconds: Int64, nanoseconds: Int64 = 0) {
        microseconds = (unixSeconds - Self.unixEpochOffset) * 1_000_000 + nanoseconds / 1000
    }

    /// The time of the system's clock; fractions of a microsecond are cut.
    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(unixSeconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    /// Whole seconds since 1970; floors, so that it is right before 2000 too.
    public var unixSeconds: Int64 {
        let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return (remainder < 0 ? quotient - 1 : quotient) + Self.unixEpochOffset
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

extension Timestamp {
    /// `0001-01-01T00:00:00Z` to `9999-12-31T23:59:59.999999Z`: only these times have a text.
    public var hasFourDigitYear: Bool {
        (-63_082_281_600_000_000..<252_455_616_000_000_000).contains(microseconds)
    }

    /// `YYYY-MM-DDTHH:MM:SSZ`, without fractions of a second.
    public var secondsText: String { text(hasFraction: false) }

    /// With six digits of a second's fraction.
    public var microsecondsText: String { text(hasFraction: true) }

    /// `YYYY-MM-DD`, the UTC day.
    public var dayText: String { String(secondsText.prefix(10)) }

    private func text(hasFraction: Bool) -> String {
        precondition(hasFourDigitYear, "BUG: microseconds=\(microseconds)")
        let inDay = Int(microseconds - Int64(day) * Self.microsecondsPerDay)
        let date = CivilDate(daysSince2000: Int(day))
        let second = inDay / 1_000_000
        var bytes: [UInt8] = []
        bytes.reserveCapacity(27)
        func write(_ number: Int, _ digits: Int, _ end: UInt8) {
            var divisor = 1
            for _ in 1..<digits { divisor *= 10 }
            while divisor > 0 {
                bytes.append(0x30 + UInt8(number / divisor % 10))
                divisor /= 10
            }
            bytes.append(end)
        }
        write(date.year, 4, UInt8(ascii: "-"))
        write(date.month, 2, UInt8(ascii: "-"))
        write(date.day, 2, UInt8(ascii: "T"))
        write(second / 3600, 2, UInt8(ascii: ":"))
        write(second / 60 % 60, 2, UInt8(ascii: ":"))
        write(second % 60, 2, UInt8(ascii: hasFraction ? "." : "Z"))
        if hasFraction { write(inDay % 1_000_000, 6, UInt8(ascii: "Z")) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
