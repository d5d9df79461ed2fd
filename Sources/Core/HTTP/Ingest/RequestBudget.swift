import Auth
import NIOCore
import Synchronization

/// Counts the bytes of all request bodies that are admitted and not yet answered, over all loops.
///
/// It also measures how fast they drain. A rejected client is told to return when the work before
/// it may be done.
final class RequestBudget: Sendable {
    let bytesMax: Int
    private let inFlight = Atomic<Int>(0)
    private let released = Atomic<Int>(0)
    /// Bytes a second, smoothed; 0 until something has drained.
    private let rate = Atomic<Int>(0)
    private let measured: Mutex<(at: NIODeadline, released: Int)>

    /// The drain time that is reported until something has drained.
    private static let unmeasuredDrainTime = Duration.seconds(5)
    private static let drainTimeMax = Duration.seconds(30)

    init(bytesMax: Int, now: NIODeadline) {
        precondition(bytesMax > 0, "BUG: bytesMax=\(bytesMax)")
        self.bytesMax = bytesMax
        measured = Mutex((now, 0))
    }

    /// Takes `bytes` if that many are left. Balance with ``release(_:)``.
    func reserve(_ bytes: Int) -> Bool {
        precondition(bytes >= 0, "BUG: bytes=\(bytes)")
        let after = inFlight.wrappingAdd(bytes, ordering: .relaxed).newValue
        if after <= bytesMax { return true }
        inFlight.wrappingSubtract(bytes, ordering: .relaxed)
        return false
    }

    /// Takes `bytes` for a key if that many are left and the key stays within its share. Balance
    /// with ``release(_:for:)``.
    func reserve(_ bytes: Int, for account: KeyLimits) -> Bool {
        guard reserve(bytes) else { return false }
        if account.reserve(bytes, free: max(0, bytesMax - inFlightBytes)) { return true }
        inFlight.wrappingSubtract(bytes, ordering: .relaxed)
        return false
    }

    func release(_ bytes: Int, for account: KeyLimits) {
        account.release(bytes)
        release(bytes)
    }

    func release(_ bytes: Int) {
        let after = inFlight.wrappingSubtract(bytes, ordering: .relaxed).newValue
        precondition(after >= 0, "BUG: released \(bytes) bytes too many")
        released.wrappingAdd(bytes, ordering: .relaxed)
    }

    var inFlightBytes: Int { inFlight.load(ordering: .relaxed) }

    /// Time to drain the bytes in flight, at the measured rate.
    var drainTime: Duration {
        let rate = rate.load(ordering: .relaxed)
        guard rate > 0 else {
            let hasDrained = released.load(ordering: .relaxed) > 0
            return hasDrained ? Self.drainTimeMax : Self.unmeasuredDrainTime
        }
        let milliseconds = Double(inFlightBytes) / Double(rate) * 1000
        return min(.milliseconds(Int64(min(milliseconds, 1e9))), Self.drainTimeMax)
    }

    /// Measures the rate. Any loop may call this at any time; calls less than 100 ms after the last
    /// one are ignored.
    func measure(now: NIODeadline) {
        measured.withLock { last in
            let elapsed = (now - last.at).nanoseconds
            guard elapsed >= 100_000_000 else { return }
            let total = released.load(ordering: .relaxed)
            if total == last.released && inFlightBytes == 0 {
                // Idle: the rate of the last busy time is the best guess for the next.
                last.at = now
                return
            }
            let current = Double(total &- last.released) / (Double(elapsed) / 1e9)
            let before = Double(rate.load(ordering: .relaxed))
            let smoothed = before == 0 ? current : before + 0.3 * (current - before)
            rate.store(Int(smoothed), ordering: .relaxed)
            last = (now, total)
        }
    }
}
