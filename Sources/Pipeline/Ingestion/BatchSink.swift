public import Access
public import Readings
public import Scanning
import Synchronization

/// What became of an offer. Being full is normal, so it is a value, not an error.
public enum Offer: Sendable, Equatable {
    /// An acknowledgement will follow, once, whatever happens.
    case taken
    /// No room: nothing was kept.
    case full(retryAfter: Duration)
    /// Its device or owner has used up its share of the queue: nothing was kept.
    case shareUsedUp(retryAfter: Duration)
    /// Neither the database nor the spool accepts it: nothing was kept.
    case unavailable(retryAfter: Duration)
}

/// Takes batches and units that are to be committed.
public protocol BatchSink: Sendable {
    /// Whether a request should be turned away before the rest of its body is read.
    ///
    /// - Parameter device: the envelope's device, which decides the lane; nil: not known yet.
    /// - Returns: nil when it should be accepted.
    func refusal(forBytes bytes: Int, of device: DeviceKey?) -> Offer?

    /// Queues a batch, or returns why not. Never blocks. A lane may not notice it before
    /// ``dispatch()``.
    func offer(
        _ batch: ScannedBatch, key: KeyID, ticket: UInt64, replyTo: any AcknowledgementTarget
    ) -> Offer

    /// Queues a unit in the same way. Its answer is ``CommitOutcome/recorded(result:)``,
    /// ``CommitOutcome/spooled``, or that it was not kept.
    func offer(_ unit: WorkUnit, ticket: UInt64, replyTo: any AcknowledgementTarget) -> Offer

    /// Wakes the lanes that were given batches. Call it once after a run of offers, such as those
    /// of one pass of an event loop: the run then costs each lane one wake-up, and is usually one
    /// group.
    func dispatch()

    /// What ``CommitOutcome/committed(stored:duplicates:quarantined:refusals:)`` and
    /// ``CommitOutcome/recorded(result:)`` promise.
    var durability: Durability { get }

    /// At least one lane is committing.
    var isDatabaseUp: Bool { get }

    /// Batches are taken, into the database or into the spool.
    var isAvailable: Bool { get }
}

extension BatchSink {
    /// Committed, and no more than that.
    public var durability: Durability { .committed }
}

/// What an answer that says "committed" promises; the value of the header `X-Durability`.
public enum Durability: String, CaseIterable, Sendable {
    /// On the primary's disk, and on a standby's where the primary's commits wait for one.
    case committed
    /// On the disks of the standbys as well; see ``Tail``.
    case replicated
}

/// Calls back when the last of several tasks has ended.
final class Countdown: Sendable {
    private let left: Atomic<Int>
    private let done: @Sendable () -> Void

    init(_ count: Int, _ done: @escaping @Sendable () -> Void) {
        precondition(count > 0, "BUG: count=\(count)")
        left = Atomic(count)
        self.done = done
    }

    func decrease() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { done() }
    }
}
