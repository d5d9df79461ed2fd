import ArgumentParser
import Foundation
package import Readings
import Server
import Status
import Synchronization
import Times

/// Formats and parses times for people.
package enum Moments {
    /// UTC, in whole seconds.
    package static func text(_ timestamp: Timestamp) -> String {
        date(timestamp).formatted(.iso8601)
    }

    static func date(_ timestamp: Timestamp) -> Date {
        Date(
            timeIntervalSince1970: Double(timestamp.microseconds) / 1e6
                + Double(Timestamp.unixEpochOffset))
    }

    /// A length of time from now (`90d`), or a moment; nil for anything else, for the past and for
    /// times after the year 9999.
    static func end(_ text: String) -> Timestamp? {
        let end: Date
        if let length = Settings.duration(text) {
            end = Date(timeIntervalSinceNow: Double(length.components.seconds))
        } else if let moment = try? Date(text, strategy: .iso8601) {
            end = moment
        } else {
            return nil
        }
        return end > Date() ? timestamp(end) : nil
    }

    /// The beginning of a UTC day (`2026-02-10`), or a moment; nil for anything else.
    static func start(_ text: String) -> Timestamp? {
        startOfDay(text) ?? (try? Date(text, strategy: .iso8601)).flatMap(timestamp)
    }

    /// The end of a UTC day (`2026-02-10`), or a moment; nil for anything else, and for the last
    /// day of the year 9999, whose end can't be written.
    static func endOfDayOrMoment(_ text: String) -> Timestamp? {
        guard let day = startOfDay(text) else { return start(text) }
        let end = Timestamp(microseconds: day.microseconds + Timestamp.microsecondsPerDay)
        return end.hasFourDigitYear ? end : nil
    }

    private static func startOfDay(_ text: String) -> Timestamp? {
        CivilDate(text).map {
            Timestamp(microseconds: Int64($0.daysSince2000) * Timestamp.microsecondsPerDay)
        }
    }

    private static func timestamp(_ date: Date) -> Timestamp? {
        let seconds = date.timeIntervalSince1970
        // The limit is far beyond the year 9999, and still fits in microseconds.
        guard abs(seconds) < 1e12 else { return nil }
        let timestamp = Timestamp(unixSeconds: Int64(seconds))
        return timestamp.hasFourDigitYear ? timestamp : nil
    }
}
