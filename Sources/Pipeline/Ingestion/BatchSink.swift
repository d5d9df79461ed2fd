public import Access
public import Scanning
import Synchronization

/// What became of an offer. Being full is normal, so it is a value and no error.
public enum Offer: Sendable, Equatable {
    /// An acknowledgement will follow, once, whatever happens.
    case taken
    /// No room: nothing was kept.
    case full(retryAfter: Duration)
    /// Its device has more waiting than its share: nothing was kept.
    case shareUsedUp(retryAfter: Duration)
    /// Neither the database nor the spool takes it: nothing was kept.
    case unavailable(retryAfter: Duration)
}

/// Takes batches and units that are to be committed.
public protocol BatchSink: Sendable {
    /// Whether a request should be turned away before its body is read.
    ///
    /// - Returns: nil when it may come in.
    func refusal(forBytes bytes: Int) -> Offer?

    /// Takes a batch, or says why not. Never blocks. Nothing is begun before ``dispatch()``.
    func offer(
        _ batch: ScannedBatch, key: KeyID, ticket: UInt64, replyTo: any AcknowledgementTarget
    ) -> Offer

    /// Takes a unit in the same way. It is answered with ``CommitOutcome/recorded(result:)``,
    /// ``CommitOutcome/spooled``, or that it was not kept.
    func offer(_ unit: WorkUnit, ticket: UInt64, replyTo: any AcknowledgementTarget) -> Offer

    /// Starts the lanes that were given batches. To be called once behind a run of offers, such as
    /// all that one pass of an event loop brought: the run is then one group and one wake-up.
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

/// What is true of readings when their sender is told that they are committed; as `X-Durability` says it.
public enum Durability: String, CaseIterable, Sendable {
    /// On the disk of the server that is written to, and on that of a standby where commits wait for one.
    case committed
    /// On the disks of the standbys as well; see ``Tail``.
    case replicated
}

/// Calls back when the last of several has come to its end.
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
