import Glibc

/// A value under a lock, whose changes threads can wait for. For disk threads, which may block.
///
/// `@unchecked Sendable`: the value is touched under the lock only.
final class ConditionState<Value>: @unchecked Sendable {
    private var value: Value
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init(_ value: Value) {
        self.value = value
        let outcome = (pthread_mutex_init(lock, nil), pthread_cond_init(changed, nil))
        precondition(outcome == (0, 0), "BUG: pthread: \(outcome)")
    }

    deinit {
        pthread_mutex_destroy(lock)
        pthread_cond_destroy(changed)
        lock.deallocate()
        changed.deallocate()
    }

    /// Changes the value, and wakes whoever waits for that.
    func change<Outcome>(_ body: (inout Value) -> Outcome) -> Outcome {
        wait(until: { _ in true }, body)
    }

    /// Changes the value when it is as wanted.
    func wait<Outcome>(
        until isWanted: (Value) -> Bool, _ body: (inout Value) -> Outcome
    ) -> Outcome {
        pthread_mutex_lock(lock)
        while !isWanted(value) { pthread_cond_wait(changed, lock) }
        let outcome = body(&value)
        pthread_mutex_unlock(lock)
        pthread_cond_broadcast(changed)
        return outcome
    }
}
