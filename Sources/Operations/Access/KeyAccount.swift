import Synchronization

/// One key in use in this process: its identity, its bytes in flight and the rest of its quota.
///
/// Thread-safe.
public final class KeyAccount: Sendable {
    /// The key that the account belongs to.
    public let id: KeyID
    /// Bytes of request bodies a second, on this node; nil: no limit.
    public let bytesPerSecond: Int?

    private let inFlight = Atomic(0)
    private let bucket: Mutex<TokenBucket?>

    /// How much a key may send at once after a pause, in seconds of its rate.
    private static let burst: Duration = .seconds(5)

    /// How many times the free space a key may have in flight. So one key alone can have four
    /// fifths of the whole, and there is always room left for another (Choudhury and Hahne,
    /// "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches", 1998).
    private static let shareOfFree = 4

    /// An account with nothing in flight and a full quota.
    public init(_ id: KeyID, bytesPerSecond: Int? = nil) {
        self.id = id
        self.bytesPerSecond = bytesPerSecond
        bucket = Mutex(
            bytesPerSecond.map { TokenBucket(rate: $0, burst: Self.burst, now: .now) })
    }

    /// Spends `bytes` of the quota.
    ///
    /// - Returns: nil if the bytes were spent; otherwise the time until they may be.
    public func spend(
        _ bytes: Int, now: @autoclosure () -> ContinuousClock.Instant = .now
    ) -> Duration? {
        guard bytesPerSecond != nil else { return nil }
        let now = now()
        return bucket.withLock { $0?.spend(bytes, now: now) }
    }

    /// Spends the bytes by which a body exceeds its announced length. May go into debt.
    public func spendMore(_ bytes: Int) {
        guard bytesPerSecond != nil else { return }
        bucket.withLock { $0?.spendMore(bytes) }
    }

    /// Takes `bytes` of a space that all keys share. Balance it with ``release(_:)``.
    ///
    /// - Parameter free: the part of the space that no key has taken.
    /// - Returns: false if the key would have more than its share.
    public func reserve(_ bytes: Int, free: Int) -> Bool {
        let after = inFlight.wrappingAdd(bytes, ordering: .relaxed).newValue
        if after == bytes || after <= Self.shareOfFree * free { return true }
        inFlight.wrappingSubtract(bytes, ordering: .relaxed)
        return false
    }

    /// Returns bytes taken with ``reserve(_:free:)``.
    public func release(_ bytes: Int) {
        let after = inFlight.wrappingSubtract(bytes, ordering: .relaxed).newValue
        precondition(after >= 0, "BUG: key released \(bytes) bytes too many")
    }

    /// Bytes reserved and not yet released.
    public var inFlightBytes: Int { inFlight.load(ordering: .relaxed) }
}

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
