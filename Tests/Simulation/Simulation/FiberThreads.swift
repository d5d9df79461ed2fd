/// Threads that one run after the other uses; making them costs more than many steps.
final class FiberThreads {
    private var idle: [FiberThread] = []

    func take() -> FiberThread { idle.popLast() ?? FiberThread() }

    func giveBack(_ thread: FiberThread) { idle.append(thread) }

    deinit {
        // Without work they end.
        for thread in idle { thread.passBaton() }
    }
}
