import Dispatch
import Synchronization

/// Wakes one waiter. A ring without a waiter is kept for the next wait; several count as one.
final class WakeUp: Sendable {
    private struct State {
        var isRung = false
        /// Counts the waits, so that a late timeout can only end its own.
        var number = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func ring() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state.waiter = nil }
            if state.waiter == nil { state.isRung = true }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Returns at the next ring, or after `duration`. Ignores cancellation: the code that cancels
    /// must ring.
    func wait(for duration: Duration) async {
        await withCheckedContinuation { continuation in
            let number: Int? = state.withLock { state in
                precondition(state.waiter == nil, "BUG: two wait for one bell")
                if state.isRung {
                    state.isRung = false
                    return nil
                }
                state.number += 1
                state.waiter = continuation
                return state.number
            }
            guard let number else { return continuation.resume() }
            let wait = DispatchTimeInterval.milliseconds(Int(duration / .milliseconds(1)) + 1)
            DispatchQueue.global().asyncAfter(deadline: .now() + wait) { [weak self] in
                self?.expire(number)
            }
        }
    }

    private func expire(_ number: Int) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.number == number else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
