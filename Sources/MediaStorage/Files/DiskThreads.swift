import NIOPosix
import Synchronization

/// A few threads that may wait for the disk, so that no event loop and no thread of Swift's own does.
///
/// Each is a pool of its own: a pool of many wakes all of them for every piece of work.
final class DiskThreads: Sendable {
    private let threads: [NIOThreadPool]
    /// What each thread has to do, the work under way included.
    private let waiting: Mutex<[Int]>

    init(count: Int) {
        precondition(count > 0, "BUG: count=\(count)")
        threads = (0..<count).map { _ in NIOThreadPool(numberOfThreads: 1) }
        waiting = Mutex(Array(repeating: 0, count: count))
        for thread in threads { thread.start() }
    }

    deinit {
        for thread in threads { thread.shutdownGracefully { _ in } }
    }

    /// Runs `body` on the thread that has the least to do.
    ///
    /// - Throws: what `body` throws; `.ended` after ``shutdown()``.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(MediaStoreError) -> Value
    ) async throws(MediaStoreError) -> Value {
        try await start(body).value()
    }

    /// The same, without waiting for it.
    func start<Value: Sendable>(
        _ body: @escaping @Sendable () throws(MediaStoreError) -> Value
    ) -> DiskWork<Value> {
        let work = DiskWork<Value>()
        let number = leastBusy()
        threads[number].submit { state in
            let outcome: Result<Value, MediaStoreError>
            if case .active = state {
                do throws(MediaStoreError) {
                    outcome = .success(try body())
                } catch {
                    outcome = .failure(error)
                }
            } else {
                outcome = .failure(.ended)
            }
            self.waiting.withLock { $0[number] -= 1 }
            work.end(outcome)
        }
        return work
    }

    /// The first of those with the least: a thread that has just run is quick to run again.
    private func leastBusy() -> Int {
        waiting.withLock { waiting in
            var least = 0
            for number in waiting.indices where waiting[number] < waiting[least] { least = number }
            waiting[least] += 1
            return least
        }
    }

    func shutdown() async {
        for thread in threads { try? await thread.shutdownGracefully() }
    }
}
