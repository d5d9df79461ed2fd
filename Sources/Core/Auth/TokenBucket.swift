import Synchronization

/// A token bucket: a rate with some room for bursts. It only decides; it never waits.
///
/// While any tokens are left, a request may spend any amount; later requests wait until the debt is
/// paid off. So even a rate below the size of one body lets such a body through now and then.
public struct TokenBucket: Sendable {
    /// Tokens added per second.
    let rate: Double
    /// The most tokens that can accumulate.
    let capacity: Double
    private var tokens: Double
    private var at: ContinuousClock.Instant

    /// A full bucket.
    init(rate: Int, burst: Duration, now: ContinuousClock.Instant) {
        precondition(rate > 0, "BUG: rate=\(rate)")
        self.rate = Double(rate)
        capacity = Double(rate) * (burst / .seconds(1))
        tokens = capacity
        at = now
    }

    /// A full bucket that takes `time` to fill from empty.
    public init(capacity: Int, within time: Duration, now: ContinuousClock.Instant) {
        precondition(capacity > 0 && time > .zero, "BUG: capacity=\(capacity)")
        self.capacity = Double(capacity)
        rate = self.capacity / (time / .seconds(1))
        tokens = self.capacity
        at = now
    }

    private mutating func gather(_ now: ContinuousClock.Instant) {
        guard now > at else { return }
        tokens = min(capacity, tokens + rate * ((now - at) / .seconds(1)))
        at = now
    }

    /// - Returns: nil if `amount` tokens are there; otherwise the time until they are. Spends
    ///   nothing.
    public mutating func wait(for amount: Int, now: ContinuousClock.Instant) -> Duration? {
        gather(now)
        guard tokens < Double(amount) else { return nil }
        return .seconds((Double(amount) - tokens) / rate) + .milliseconds(1)
    }

    /// Whether everything that was spent has been refilled.
    public func isFull(at now: ContinuousClock.Instant) -> Bool {
        tokens + rate * max(0, (now - at) / .seconds(1)) >= capacity
    }

    /// Spends `amount` if any tokens are left.
    ///
    /// - Returns: nil if it was spent; otherwise the time until some tokens are left.
    mutating func spend(_ amount: Int, now: ContinuousClock.Instant) -> Duration? {
        gather(now)
        guard tokens > 0 else { return .seconds(-tokens / rate) + .milliseconds(1) }
        tokens -= Double(amount)
        return nil
    }

    /// Spends what exceeds the announced amount; may go into debt.
    public mutating func spendMore(_ amount: Int) { tokens -= Double(amount) }
}
