internal import DequeModule
import Synchronization

/// A queue of many producers and one consumer, bounded in bytes.
public final class BoundedChannel<Element: Sendable>: Sendable {
    private struct State {
        var waiting = Deque<(element: Element, bytes: Int)>()
        var bytes = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let bytesMax: Int

    /// - Parameter bytesMax: what may wait here, at most.
    public init(bytesMax: Int) {
        precondition(bytesMax > 0, "BUG: bytesMax=\(bytesMax)")
        self.bytesMax = bytesMax
    }

    /// What became of an offer.
    public enum Offer: Sendable, Equatable {
        case taken
        /// Nothing was kept; try later.
        case full
        /// Nothing was kept, and never will be again.
        case closed
    }

    /// - Parameter bytes: memory the element holds.
    public func offer(_ element: Element, bytes: Int) -> Offer {
        precondition(bytes >= 0, "BUG: bytes=\(bytes)")
        return state.withLock { state in
            if state.isClosed { return .closed }
            if !state.waiting.isEmpty, state.bytes + bytes > bytesMax { return .full }
            state.waiting.append((element, bytes))
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
                group.append(next.element)
                state.waiting.removeFirst()
            }
        }
    }

    /// Whether an element of this size would be taken now; by the time it is offered it may not be.
    public func hasRoom(for bytes: Int) -> Bool {
        state.withLock { !$0.isClosed && ($0.waiting.isEmpty || $0.bytes + bytes <= bytesMax) }
    }

    /// Elements and bytes that wait.
    public var depth: (elements: Int, bytes: Int) {
        state.withLock { ($0.waiting.count, $0.bytes) }
    }

    /// Takes no more; what waits can still be taken out.
    public func close() {
        state.withLock { $0.isClosed = true }
    }
}
