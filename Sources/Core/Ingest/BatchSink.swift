public import Auth
public import Readings
public import Scanner
import Synchronization

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
        _ batch: ScannedBatch, key: KeyID, ticket: UInt64, replyTo: BatchTarget
    ) -> Offer

    /// Queues a unit in the same way.
    func offer(_ unit: WorkUnit, ticket: UInt64, replyTo: UnitTarget) -> Offer

    /// Wakes the lanes that were given batches. Call it once after a run of offers, such as those
    /// of one pass of an event loop: the run then costs each lane one wake-up, and is usually one
    /// group.
    func dispatch()

    /// What ``Outcome/committed(_:)`` promises.
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
