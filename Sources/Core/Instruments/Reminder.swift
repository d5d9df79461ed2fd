import Glibc
import Synchronization

/// Lets each message through once a minute and counts the suppressed ones.
public struct Reminder: Sendable {
    /// Minimum interval between two messages on one subject.
    public static let interval: Duration = .seconds(60)
    /// Maximum number of subjects; when it is reached, all are forgotten.
    private static let subjectsMax = 64

    private var logged: [String: (at: ContinuousClock.Instant, suppressed: Int)] = [:]

    /// A reminder that has let nothing through yet.
    public init() {}

    /// - Parameter subject: identifies the message.
    /// - Returns: the number of occurrences since the message was last let through, this one
    ///   included; nil if it must be suppressed.
    public mutating func isDue(_ subject: String, now: ContinuousClock.Instant) -> Int? {
        if let last = logged[subject], now - last.at < Self.interval {
            logged[subject]?.suppressed += 1
            return nil
        }
        let suppressed = logged[subject]?.suppressed ?? 0
        if logged.count >= Self.subjectsMax { logged.removeAll() }
        logged[subject] = (now, 0)
        return suppressed + 1
    }
}
