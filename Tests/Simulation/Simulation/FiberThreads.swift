/// Reuses threads from run to run, because creating a thread costs more than many steps.
final class FiberThreads {
    private var idle: [FiberThread] = []

    func take() -> FiberThread { idle.popLast() ?? FiberThread() }

    func giveBack(_ thread: FiberThread) { idle.append(thread) }

    deinit {
        // A thread without work ends.
        for thread in idle { thread.passBaton() }
    }
}
