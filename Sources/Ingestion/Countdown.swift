import Synchronization

/// Calls back when the last of several has come to its end.
final class Countdown: Sendable {
    private let left: Atomic<Int>
    private let done: @Sendable () -> Void

    init(_ count: Int, _ done: @escaping @Sendable () -> Void) {
        precondition(count > 0, "BUG: count=\(count)")
        left = Atomic(count)
        self.done = done
    }

    func decrease() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { done() }
    }
}
