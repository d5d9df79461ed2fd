import Auth
import Synchronization

/// The processor time that each user's files may take, and eight times as much those of one address
/// whose clients need no credentials and so may give themselves any number of names.
///
/// A used budget refills evenly, within an hour completely. A process is started as long as
/// anything is left, so a user may go into debt by the limits of the processes that run at once.
/// Budgets are in memory, on this node alone.
///
/// At most ``usersMax`` users and addresses are distinguished. Those with a full budget are
/// forgotten first; if that does not suffice, new users have one budget in common.
final class InspectionBudget: Sendable {
    static let usersMax = 16_384
    /// Budgets of users that an address has.
    static let usersOfAddress = 8

    private enum Holder: Hashable {
        case user(String)
        case address(String)
        case others
    }

    /// In milliseconds.
    private let capacity: Int
    private let buckets = Mutex<[Holder: TokenBucket]>([:])

    /// - Parameter secondsPerHour: 0 means no limit.
    init(secondsPerHour: Int) {
        precondition(secondsPerHour >= 0, "BUG: secondsPerHour=\(secondsPerHour)")
        capacity = secondsPerHour * 1000
    }

    /// - Returns: nil if the client has time left; otherwise the time until then.
    func wait(of client: InspectionClient, now: ContinuousClock.Instant) -> Duration? {
        change(client, now) { $0.wait(for: 1, now: now) }
    }

    /// Counts the time that a process has taken.
    func spend(_ time: Duration, of client: InspectionClient, now: ContinuousClock.Instant) {
        _ = change(client, now) { bucket in
            // Adds what has been refilled.
            _ = bucket.wait(for: 1, now: now)
            bucket.spendMore(max(1, Int(time / .milliseconds(1))))
            return nil
        }
    }

    private func change(
        _ client: InspectionClient, _ now: ContinuousClock.Instant,
        _ body: (inout TokenBucket) -> Duration?
    ) -> Duration? {
        guard capacity > 0 else { return nil }
        return buckets.withLock { buckets in
            var waits: [Duration] = []
            for holder in Self.holders(client) {
                var holder = holder
                if buckets[holder] == nil, buckets.count >= Self.usersMax {
                    buckets = buckets.filter { !$0.value.isFull(at: now) }
                    if buckets.count >= Self.usersMax { holder = .others }
                }
                var bucket = buckets[holder] ?? full(holder, now)
                if let wait = body(&bucket) { waits.append(wait) }
                buckets[holder] = bucket
            }
            return waits.max()
        }
    }

    private static func holders(_ client: InspectionClient) -> [Holder] {
        guard case .address(let address) = client.origin else { return [.user(client.user)] }
        return [.user(client.user), .address(address)]
    }

    private func full(_ holder: Holder, _ now: ContinuousClock.Instant) -> TokenBucket {
        var users = 1
        if case .address = holder { users = Self.usersOfAddress }
        return TokenBucket(capacity: capacity * users, within: .seconds(3600), now: now)
    }
}
