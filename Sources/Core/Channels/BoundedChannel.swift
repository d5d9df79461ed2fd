@preconcurrency import Dispatch
internal import DequeModule
import Synchronization

/// A queue of many producers, bounded in bytes, which no flow can fill alone.
///
/// A *flow* is whatever must not starve the others: here a device or an owner. Flows are hashed
/// into a fixed number of buckets, so that accounting takes constant memory and time (McKenney,
/// "Stochastic Fairness Queueing", 1990); two in one bucket share a share.
public final class BoundedChannel<Element: Sendable>: Sendable {
    private struct State {
        var waiting = Deque<(element: Element, bytes: Int, bucket: Int)>()
        var bytes = 0
        /// The queued bytes of each bucket.
        var flowBytes = [Int](repeating: 0, count: flowBuckets)
        var isClosed = false
    }

    private static var flowBuckets: Int { 1024 }
    /// A flow may have this many times the free bytes queued: alone it can use four fifths of the
    /// channel, and there is always room for another.
    private static var shareOfFree: Int { 4 }

    private let state = Mutex(State())
    private let bytesMax: Int

    /// - Parameter bytesMax: the most bytes queued.
    public init(bytesMax: Int) {
        precondition(bytesMax > 0, "BUG: bytesMax=\(bytesMax)")
        self.bytesMax = bytesMax
    }

    /// What became of an offer.
    public enum Offer: Sendable, Equatable {
        case taken
        /// Nothing was kept; try later.
        case full
        /// Nothing was kept: this flow has used up its share.
        case shareUsedUp
        /// Nothing was kept, and never will be again.
        case closed
    }

    /// - Parameters:
    ///   - bytes: memory the element holds.
    ///   - flow: a hash of the device or owner; nil: no share applies.
    ///   - isBound: false: taken even if there is no room, as part of something already taken.
    public func offer(
        _ element: Element, bytes: Int, flow: UInt64? = nil, isBound: Bool = true
    ) -> Offer {
        precondition(bytes >= 0, "BUG: bytes=\(bytes)")
        let bucket = flow.map { Int($0 % UInt64(Self.flowBuckets)) } ?? -1
        return state.withLock { state in
            if state.isClosed { return .closed }
            if isBound, !state.waiting.isEmpty, bytes > bytesMax - state.bytes { return .full }
            if bucket >= 0 {
                let own = state.flowBytes[bucket]
                let free = bytesMax - state.bytes - bytes
                if isBound, own > 0, own + bytes > Self.shareOfFree * free {
                    return .shareUsedUp
                }
                state.flowBytes[bucket] += bytes
            }
            state.waiting.append((element, bytes, bucket))
            state.bytes += bytes
            return .taken
        }
    }

    /// Takes elements from the front into `group` until the next would exceed `bytes`; at least
    /// one if any waits.
    public func take(upTo bytes: Int, into group: inout [Element]) {
        state.withLock { state in
            var taken = 0
            while let next = state.waiting.first {
                if taken > 0, taken + next.bytes > bytes { return }
                taken += next.bytes
                state.bytes -= next.bytes
                if next.bucket >= 0 { state.flowBytes[next.bucket] -= next.bytes }
                group.append(next.element)
                state.waiting.removeFirst()
            }
        }
    }

    /// Whether an element of this size would be taken now; by the time it is offered it may not be.
    public func hasRoom(for bytes: Int) -> Bool {
        state.withLock { !$0.isClosed && ($0.waiting.isEmpty || bytes <= bytesMax - $0.bytes) }
    }

    /// The element that has waited longest; it stays where it is.
    public var first: Element? {
        state.withLock { $0.waiting.first?.element }
    }

    /// Queued elements and bytes.
    public var depth: (elements: Int, bytes: Int) {
        state.withLock { ($0.waiting.count, $0.bytes) }
    }

    /// Takes no more; what is queued can still be taken out.
    public func close() {
        state.withLock { $0.isClosed = true }
    }
}
