import Postgres
import Synchronization

/// Lets another thread, a signal's for instance, end an export.
public final class ExportStop: Sendable {
    private struct State {
        var isAsked = false
        var canceller: Canceller?
    }

    private let state = Mutex(State())

    /// Not asked yet.
    public init() {}

    /// Whether ``stop()`` was called.
    public var isAsked: Bool { state.withLock { $0.isAsked } }

    /// Cancels what the server is doing, too. Blocks until the server has taken that.
    public func stop() {
        let canceller = state.withLock { state in
            state.isAsked = true
            return state.canceller
        }
        canceller?.cancel()
    }

    /// What is to be cancelled while `body` runs.
    func guarding<Value>(
        _ canceller: Canceller, _ body: () throws(ExportFault) -> Value
    ) throws(ExportFault) -> Value {
        let isAsked = state.withLock { state in
            state.canceller = canceller
            return state.isAsked
        }
        if isAsked { throw .interrupted }
        defer { state.withLock { $0.canceller = nil } }
        return try body()
    }
}
