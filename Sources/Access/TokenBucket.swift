/// A rate with some room for bursts; decides only.
///
/// Whoever comes while anything is left may spend any amount, and the next ones wait until the debt
/// is paid off: so a rate smaller than one body still lets that body in now and then.
public struct TokenBucket: Sendable {
    /// Tokens that come in a second.
    let rate: Double
    /// What gathers at most while nobody spends.
    let capacity: Double
    private var tokens: Double
    private var at: ContinuousClock.Instant

    /// Full.
    init(rate: Int, burst: Duration, now: ContinuousClock.Instant) {
        precondition(rate > 0, "BUG: rate=\(rate)")
        self.rate = Double(rate)
        capacity = Double(rate) * (burst / .seconds(1))
        tokens = capacity
        at = now
    }

    /// Full; an empty one is full again after `time`.
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

    /// - Returns: nil when there is as much; else how long until there is.
    public mutating func wait(for amount: Int, now: ContinuousClock.Instant) -> Duration? {
        gather(now)
        guard tokens < Double(amount) else { return nil }
        return .seconds((Double(amount) - tokens) / rate) + .milliseconds(1)
    }

    /// Nothing was spent that has not come again.
    public func isFull(at now: ContinuousClock.Instant) -> Bool {
        tokens + rate * max(0, (now - at) / .seconds(1)) >= capacity
    }

    /// Spends `amount` if anything is left.
    ///
    /// - Returns: nil when it was spent; else how long until there is something again.
    mutating func spend(_ amount: Int, now: ContinuousClock.Instant) -> Duration? {
        gather(now)
        guard tokens > 0 else { return .seconds(-tokens / rate) + .milliseconds(1) }
        tokens -= Double(amount)
        return nil
    }

    /// Spends what turned out to be more than was announced; may go into debt.
    public mutating func spendMore(_ amount: Int) { tokens -= Double(amount) }
}
