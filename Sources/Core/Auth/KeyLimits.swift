import Synchronization

/// One key in use in this process: its identity, its bytes in flight and the rest of its quota.
///
/// Thread-safe.
public final class KeyLimits: Sendable {
    /// The key that the account belongs to.
    public let id: KeyID
    /// Bytes of request bodies a second, on this node; nil: no limit.
    public let bytesPerSecond: Int?
    /// Whose readings it may bring; nil: anybody's.
    public let binding: KeyBinding?

    private let inFlight = Atomic(0)
    private let bucket: Mutex<TokenBucket?>

    /// How much a key may send at once after a pause, in seconds of its rate.
    private static let burst: Duration = .seconds(5)

    /// How many times the free space a key may have in flight. So one key alone can have four
    /// fifths of the whole, and there is always room left for another (Choudhury and Hahne,
    /// "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches", 1998).
    private static let shareOfFree = 4

    /// An account with nothing in flight and a full quota.
    public init(_ id: KeyID, bytesPerSecond: Int? = nil, binding: KeyBinding? = nil) {
        self.id = id
        self.bytesPerSecond = bytesPerSecond
        self.binding = binding
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
