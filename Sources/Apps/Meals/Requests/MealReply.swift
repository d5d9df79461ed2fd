import Readings
import Scanning

/// What is answered about a log that was offered to the lanes.
public enum MealReply: Sendable, Equatable {
    /// Committed; 201 and the whole body.
    case created(json: String)
    /// In the spool, to be committed when the database is back; 202 and the whole body.
    case accepted(json: String)
    /// The id is another user's; 403.
    case foreign
    /// Nothing was kept; 503.
    case unavailable(retryAfter: Duration)
    /// The database refuses for a reason that waiting does not mend; 500.
    case refused(sqlState: String)
}

/// Times as requests bring them.
enum RequestTime {
    /// Before it nobody has logged a meal.
    static let min = Timestamp(microseconds: 0)
    /// How far a client's clock may be ahead.
    static let aheadMax: Int64 = 24 * 3600 * 1_000_000

    /// A moment with its offset from UTC: a time without one could be anybody's.
    static func moment(_ text: String, field: String) throws(MealFault) -> Timestamp {
        var text = text
        let hasZone = text.utf8.dropFirst(19).contains { byte in
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

    /// When a meal was eaten.
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

    /// The first moment that a day or moment stands for, and the first behind it.
    static func span(_ text: String, field: String) throws(MealFault) -> Range<Timestamp> {
        let isDay = text.utf8.count == 10
        guard let start = try? moment(isDay ? text + "T00:00:00Z" : text, field: field) else {
            throw .notDay(field: field)
        }
        let length = isDay ? Timestamp.microsecondsPerDay : 1
        return start..<Timestamp(microseconds: start.microseconds + length)
    }
}
