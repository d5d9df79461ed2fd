import Synchronization

/// What a disk thread does while whoever asked for it goes on. One task waits for it, once.
final class DiskWork<Value: Sendable>: Sendable {
    private enum State {
        case running
        case awaited(CheckedContinuation<Result<Value, MediaStoreError>, Never>)
        case ended(Result<Value, MediaStoreError>)
    }

    private let state = Mutex(State.running)

    /// - Throws: what the work threw.
    func value() async throws(MediaStoreError) -> Value {
        let outcome = await withCheckedContinuation { continuation in
            let ended = state.withLock { state -> Result<Value, MediaStoreError>? in
                switch state {
                case .ended(let outcome): return outcome
                case .running:
                    state = .awaited(continuation)
                    return nil
                case .awaited: preconditionFailure("BUG: two tasks wait for one piece of work")
                }
            }
            if let ended { continuation.resume(returning: ended) }
        }
        return try outcome.get()
    }

    func end(_ outcome: Result<Value, MediaStoreError>) {
        let waiting = state.withLock {
            state -> CheckedContinuation<Result<Value, MediaStoreError>, Never>? in
            defer { state = .ended(outcome) }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: outcome)
    }
}
