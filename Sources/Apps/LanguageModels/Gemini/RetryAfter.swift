import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Times

/// Parses the header `Retry-After`.
///
/// - Source: RFC 9110, section 10.2.3: seconds, or a date.
enum RetryAfter {
    /// The time to wait, at most a day; nil if the header is absent or is neither seconds nor a
    /// date.
    static func wait(_ header: String?, now: Date = Date()) -> Duration? {
        guard let header = header?.trimmingCharacters(in: .whitespaces), header.count < 64 else {
            return nil
        }
        let dayMax = 86_400.0
        if !header.isEmpty, header.utf8.allSatisfy({ (48...57).contains($0) }) {
            return .seconds(min(Double(header) ?? dayMax, dayMax))
        }
        guard let end = HTTPDate.unixSeconds(header) else { return nil }
        return .seconds(min(max(0, Double(end) - now.timeIntervalSince1970), dayMax))
    }
}
