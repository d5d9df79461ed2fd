import Foundation

/// The header `Retry-After`.
///
/// - Source: RFC 9110, section 10.2.3: seconds, or a date.
enum RetryAfter {
    /// Nil when the header is not there or is neither of the two; at most a day.
    static func wait(_ header: String?, now: Date = Date()) -> Duration? {
        guard let header = header?.trimmingCharacters(in: .whitespaces), header.count < 64 else {
            return nil
        }
        let dayMax = 86_400.0
        if !header.isEmpty, header.utf8.allSatisfy({ (48...57).contains($0) }) {
            return .seconds(min(Double(header) ?? dayMax, dayMax))
        }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        guard let date = formatter.date(from: header) else { return nil }
        return .seconds(min(max(0, date.timeIntervalSince(now)), dayMax))
    }
}
