import Postgres
import Synchronization

/// Lets another thread, such as a signal handler's, end an export.
public final class ExportStop: Sendable {
    private struct State {
        var isAsked = false
        var canceller: Canceller?
    }

    private let state = Mutex(State())

    /// A stop that was not requested yet.
    public init() {}

    /// Whether ``stop()`` was called.
    public var isAsked: Bool { state.withLock { $0.isAsked } }

    /// Requests the end of the export and cancels the server's current statement. Blocks until the
    /// server has received that.
    public func stop() {
        let canceller = state.withLock { state in
            state.isAsked = true
            return state.canceller
        }
        canceller?.cancel()
    }

    /// Registers `canceller` as the target of ``stop()`` while `body` runs.
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
