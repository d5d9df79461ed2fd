import Foundation
import Readings
import SluiceService

/// Moments as people write and read them.
enum Moments {
    /// UTC, whole seconds.
    static func text(_ timestamp: Timestamp) -> String {
        date(timestamp).formatted(.iso8601)
    }

    static func date(_ timestamp: Timestamp) -> Date {
        Date(
            timeIntervalSince1970: Double(timestamp.microseconds) / 1e6
                + Double(Timestamp.unixEpochOffset))
    }

    /// A length of time from now (`90d`), or a moment; nil for anything else and for the past.
    static func end(_ text: String) -> Timestamp? {
        let end: Date
        if let length = Settings.duration(text) {
            end = Date(timeIntervalSinceNow: Double(length.components.seconds))
        } else if let moment = try? Date(text, strategy: .iso8601) {
            end = moment
        } else {
            return nil
        }
        guard end > Date() else { return nil }
        return Timestamp(unixSeconds: Int64(end.timeIntervalSince1970))
    }
}
