import Access
import Synchronization

/// The processor time that each user's files may take.
///
/// A used budget refills evenly, within an hour completely. A process is started as long as anything
/// is left, so a user may go into debt by the limits of the processes that run at once. Budgets are
/// in memory, on this node alone.
///
/// At most ``usersMax`` users are distinguished. Those with a full budget are forgotten first; if
/// that does not suffice, new users have one budget in common.
final class InspectionBudget: Sendable {
    static let usersMax = 16_384

    /// In milliseconds.
    private let capacity: Int
    private let buckets = Mutex<[String: TokenBucket]>([:])

    /// No user has this name.
    private static let others = ""

    /// - Parameter secondsPerHour: 0 means no limit.
    init(secondsPerHour: Int) {
        precondition(secondsPerHour >= 0, "BUG: secondsPerHour=\(secondsPerHour)")
        capacity = secondsPerHour * 1000
    }

    /// - Returns: nil if the user has time left; otherwise the time until then.
    func wait(of user: String, now: ContinuousClock.Instant) -> Duration? {
        change(user, now) { $0.wait(for: 1, now: now) }
    }

    /// Counts the time that a process has taken.
    func spend(_ time: Duration, of user: String, now: ContinuousClock.Instant) {
        _ = change(user, now) { bucket in
            // Adds what has been refilled.
            _ = bucket.wait(for: 1, now: now)
            bucket.spendMore(max(1, Int(time / .milliseconds(1))))
            return nil
        }
    }

    private func change(
        _ user: String, _ now: ContinuousClock.Instant,
        _ body: (inout TokenBucket) -> Duration?
    ) -> Duration? {
        guard capacity > 0 else { return nil }
        return buckets.withLock { buckets in
            var user = user
            if buckets[user] == nil, buckets.count >= Self.usersMax {
                buckets = buckets.filter { !$0.value.isFull(at: now) }
                if buckets.count >= Self.usersMax { user = Self.others }
            }
            var bucket =
                buckets[user]
                ?? TokenBucket(capacity: capacity, within: .seconds(3600), now: now)
            defer { buckets[user] = bucket }
            return body(&bucket)
        }
    }
}
