import Synchronization

/// One key at work in this process: who it is, what it has in flight, and what its quota leaves it.
///
/// Any thread may ask at any time.
public final class KeyAccount: Sendable {
    /// Whose it is.
    public let id: KeyID
    /// Bytes of request bodies a second, on this node; nil: no limit.
    public let bytesPerSecond: Int?

    private let inFlight = Atomic(0)
    private let bucket: Mutex<TokenBucket?>

    /// What a key may send at once after a pause, in seconds of its rate.
    private static let burst: Duration = .seconds(5)

    /// How many times what is free a key may have in flight: so one key alone can have four fifths of
    /// the whole, and there is always room left for another one (Choudhury and Hahne, "Dynamic
    /// Queue Length Thresholds for Shared-Memory Packet Switches", 1998).
    private static let shareOfFree = 4

    /// Nothing in flight, the quota unused.
    public init(_ id: KeyID, bytesPerSecond: Int? = nil) {
        self.id = id
        self.bytesPerSecond = bytesPerSecond
        bucket = Mutex(
            bytesPerSecond.map { TokenBucket(rate: $0, burst: Self.burst, now: .now) })
    }

    /// Spends `bytes` of the quota.
    ///
    /// - Returns: nil when it may; else how long until it may.
    public func spend(
        _ bytes: Int, now: @autoclosure () -> ContinuousClock.Instant = .now
    ) -> Duration? {
        guard bytesPerSecond != nil else { return nil }
        let now = now()
        return bucket.withLock { $0?.spend(bytes, now: now) }
    }

    /// Spends what a body has beyond what its head announced.
    public func spendMore(_ bytes: Int) {
        guard bytesPerSecond != nil else { return }
        bucket.withLock { $0?.spendMore(bytes) }
    }

    /// Takes `bytes` of a space that all keys share. Balance it with ``release(_:)``.
    ///
    /// - Parameter free: what nobody has of it.
    /// - Returns: false when this key has more than its share.
    public func reserve(_ bytes: Int, free: Int) -> Bool {
        let after = inFlight.wrappingAdd(bytes, ordering: .relaxed).newValue
        if after == bytes || after <= Self.shareOfFree * free { return true }
        inFlight.wrappingSubtract(bytes, ordering: .relaxed)
        return false
    }

    /// Gives bytes back.
    public func release(_ bytes: Int) {
        let after = inFlight.wrappingSubtract(bytes, ordering: .relaxed).newValue
        precondition(after >= 0, "BUG: key released \(bytes) bytes too many")
    }

    /// Bytes it has taken and not given back.
    public var inFlightBytes: Int { inFlight.load(ordering: .relaxed) }
}

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
