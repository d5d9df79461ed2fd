import Encodings
import Glibc

/// A time in the form that signatures and headers use.
struct SigningTime {
    /// `20130524T000000Z`
    let text: String

    /// `20130524`
    var date: String { String(text.prefix(8)) }

    /// - Parameter seconds: since 1970.
    init(seconds: Int) {
        var seconds = time_t(seconds)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ number: Int32, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        text =
            digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1, 2)
            + digits(parts.tm_mday, 2) + "T" + digits(parts.tm_hour, 2) + digits(parts.tm_min, 2)
            + digits(parts.tm_sec, 2) + "Z"
    }
}
