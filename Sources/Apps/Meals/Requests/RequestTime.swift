import Readings
import Scanner

/// Parses the times of requests.
enum RequestTime {
    /// The earliest time that a meal may have: 2000-01-01 UTC.
    static let min = Timestamp(microseconds: 0)
    /// The tolerance for clients' clocks in microseconds: a meal may be up to 24 hours in the
    /// future.
    static let aheadMax: Int64 = 24 * 3600 * 1_000_000

    /// A time with its offset from UTC. Without an offset it would be ambiguous.
    static func moment(_ text: String, field: String) throws(MealFault) -> Timestamp {
        var text = text
        // No form of a date has a hyphen so late.
        let hasZone = text.utf8.dropFirst(9).contains { byte in
            byte | 0x20 == UInt8(ascii: "z") || byte == UInt8(ascii: "+")
                || byte == UInt8(ascii: "-")
        }
        guard hasZone, let microseconds = text.withUTF8({ TimestampParser.parse($0) }) else {
            throw .notTime(field: field)
        }
        let time = Timestamp(microseconds: microseconds)
        guard time.hasFourDigitYear else { throw .notTime(field: field) }
        return time
    }

    /// The time at which a meal was eaten.
    static func eaten(
        _ text: String?, now: Timestamp, field: String = "logged_at"
    ) throws(MealFault) -> Timestamp? {
        guard let text else { return nil }
        let time = try moment(text, field: field)
        guard time >= min else { throw .tooEarly(field: field) }
        guard time.microseconds <= now.microseconds + aheadMax else {
            throw .tooLate(field: field)
        }
        return time
    }

    /// The half-open span of a day or a time. The span of a time is one microsecond.
    static func span(_ text: String, field: String) throws(MealFault) -> Range<Timestamp> {
        let isDay = text.utf8.count == 10
        guard let start = try? moment(isDay ? text + "T00:00:00Z" : text, field: field) else {
            throw .notDay(field: field)
        }
        let length = isDay ? Timestamp.microsecondsPerDay : 1
        return start..<Timestamp(microseconds: start.microseconds + length)
    }
}
