import Readings
import Scanner
import Times

/// An ISO 8601 date as the apps and S3 send it, and the moment it stands for.
///
/// A day with a time, in any form of ``TimestampParser``, or a day alone, in the extended form
/// (`2026-01-24`) or the basic form (`20260124`), which is its midnight, UTC. Years are 0001 to
/// 9999.
struct CalendarDate: Sendable, Equatable, Encodable {
    /// As the client sent it.
    let text: String
    /// Microseconds since 2000-01-01 UTC.
    let moment: Int64

    /// - Returns: nil when the text is not such a date.
    init?(_ text: String) {
        let midnight =
            switch text.utf8.count {
            case 10: "T00:00:00Z"
            case 8: "T000000Z"
            default: ""
            }
        let given = Array((text + midnight).utf8)
        let time = given.withUnsafeBufferPointer { TimestampParser.parse($0) }
        guard let time, Timestamp(microseconds: time).hasFourDigitYear else { return nil }
        self.text = text
        moment = time
    }

    /// Whole seconds since 1970, rounded down.
    var unixSeconds: Int64 {
        let (seconds, rest) = moment.quotientAndRemainder(dividingBy: 1_000_000)
        return (rest < 0 ? seconds - 1 : seconds) - Int64(CivilDate.unixEpochDay) * 86_400
    }
}
