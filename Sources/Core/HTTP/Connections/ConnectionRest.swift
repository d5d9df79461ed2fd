import NIOCore
import Synchronization

/// A connection that only waits for its client.
struct ConnectionRest: Equatable {
    let since: NIODeadline
    /// It has had no request yet.
    let isFresh: Bool

    /// A client that has worked until now probably goes on; one that never did has no such claim.
    func mayEnd(now: NIODeadline) -> Bool {
        isFresh || now - since >= RequestStateMachine.patience
    }

    /// Whether it gives way later than `other`.
    func isSpared(before other: ConnectionRest) -> Bool {
        isFresh == other.isFresh ? since > other.since : !isFresh
    }
}
