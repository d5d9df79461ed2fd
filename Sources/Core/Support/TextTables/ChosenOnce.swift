import Synchronization

/// A value that can be set until its first use and never changes afterwards.
public final class ChosenOnce<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var value: Value?
        var isTaken = false
    }

    private let state = Mutex(State())
    private let usual: @Sendable () -> Value

    /// - Parameter usual: makes the value if none was chosen.
    public init(usual: @escaping @Sendable () -> Value) {
        self.usual = usual
    }

    /// Sets the value. Traps after the first ``value()``.
    public func choose(_ value: Value) {
        state.withLock { state in
            precondition(!state.isTaken, "BUG: chosen after it was used")
            state.value = value
        }
    }

    /// The value; from the first call on always the same.
    public func value() -> Value {
        state.withLock { state in
            let value = state.value ?? usual()
            state.value = value
            state.isTaken = true
            return value
        }
    }
}
