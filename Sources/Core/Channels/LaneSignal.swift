@preconcurrency public import Dispatch
import Synchronization

/// Wakes one consumer on its serial queue; signals that arrive while it is busy become one.
///
/// This makes group commit clock itself: a writer takes what is queued, and what arrives during its
/// commit is the next group. No timer, no linger.
public final class LaneSignal: @unchecked Sendable {
    // Guard of `@unchecked`: Dispatch sources may be used from any thread.
    private let source: any DispatchSourceUserDataAdd

    /// - Parameter wake: runs on `queue`, never twice at once.
    public init(queue: DispatchQueue, wake: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.setEventHandler(handler: DispatchWorkItem(block: wake))
        source.activate()
    }

    /// From any thread.
    public func raise() {
        source.add(data: 1)
    }

    deinit {
        source.cancel()
    }
}
