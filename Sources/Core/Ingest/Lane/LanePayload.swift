import Readings
import SpoolLog

/// What lanes and the spool carry: a ``ReceivedDeviceBatch`` or a ``ReceivedUnit``.
protocol LanePayload: Sendable {
    /// What a committed transaction says of it.
    associatedtype Committed: Sendable & Equatable
    /// Who waits for its outcome.
    associatedtype Waiter: Sendable

    /// When it was received.
    var receivedAt: Timestamp { get }
    /// Memory it holds while it waits.
    var memory: Int { get }
    /// The number of readings, including quarantined ones; 1 for a unit.
    var count: Int { get }
    /// It comes from the spool.
    var isReplayed: Bool { get }
    /// Whether the spool takes it if the database does not.
    var mayWaitInSpool: Bool { get }
    /// Whose share of the lane it uses, and whose fate it has.
    var sender: Sender { get }

    /// The kind of its records in the spool.
    static var recordKind: RecordKind { get }
    /// Writes a record of these.
    static func write(_ payloads: some Collection<Self>, to record: inout RecordWriter)
}
