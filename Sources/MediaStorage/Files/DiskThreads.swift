import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// A few threads that may wait for the disk, so that no event loop and no thread of Swift's own does.
///
/// Work comes to them in two ways. A closure is run on one of them while its caller waits
/// (``run(_:)``). Or a whole task moves in for a while (``host(_:)``): all of it that belongs to no
/// actor then runs here, and what it would have a thread of these do it does itself, without a hop.
/// A hop costs some 10 µs, as much as hashing 20 KiB.
///
/// Each is a pool of its own: a pool of many wakes all of them for every piece of work.
public final class DiskThreads: Sendable {
    private let threads: [NIOThreadPool]
    /// What each thread has to do, the work under way included.
    private let waiting: Mutex<[Int]>
    /// Whose thread the present one is.
    private let mark: pthread_key_t
    /// Tasks that have moved in.
    private let guests = Atomic(0)
    /// Of them, those that may have the help of a second thread.
    private let helpedMax = max(1, System.coreCount / 2)

    init(count: Int) {
        precondition(count > 0, "BUG: count=\(count)")
        threads = (0..<count).map { _ in NIOThreadPool(numberOfThreads: 1) }
        waiting = Mutex(Array(repeating: 0, count: count))
        var key = pthread_key_t()
        let outcome = pthread_key_create(&key, nil)
        precondition(outcome == 0, "BUG: pthread_key_create: \(outcome)")
        let mark = key
        self.mark = mark
        for thread in threads {
            thread.start()
            // Work that a pool did not come to before its end is cancelled on the thread that ends it,
            // which is none of these.
            thread.submit { state in
                guard case .active = state else { return }
                pthread_setspecific(mark, UnsafeRawPointer(bitPattern: 1))
            }
        }
    }

    deinit {
        pthread_key_delete(mark)
        for thread in threads { thread.shutdownGracefully { _ in } }
    }

    /// Whether the caller may wait for the disk.
    var isHere: Bool { pthread_getspecific(mark) != nil }

    /// Runs `body` on the thread that has the least to do, or at once on a thread of these.
    ///
    /// - Throws: what `body` throws; `.ended` after ``shutdown()``.
    public func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(MediaStoreError) -> Value
    ) async throws(MediaStoreError) -> Value {
        if isHere { return try body() }
        return try await start(body).value()
    }

    /// Runs an asynchronous `body` on these threads, wherever it belongs to no actor. It may block.
    ///
    /// Not after ``shutdown()``, nor may `body` outlast it.
    public func host<Value: Sendable>(
        _ body: () async throws -> Value
    ) async throws -> Value {
        guests.wrappingAdd(1, ordering: .relaxed)
        defer { guests.wrappingSubtract(1, ordering: .relaxed) }
        return try await withTaskExecutorPreference(self, operation: body)
    }

    /// Runs `body` on another thread of these that has nothing to do at all, so that it begins at once.
    ///
    /// - Returns: false where there is none, or where as many tasks have moved in as need all
    ///   processors; `body` is not run then.
    func lendIdleThread(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard guests.load(ordering: .relaxed) <= helpedMax,
            let number = waiting.withLock({ waiting -> Int? in
                guard let number = waiting.lastIndex(of: 0) else { return nil }
                waiting[number] = 1
                return number
            })
        else { return false }
        // Also when the threads have ended: whoever asked waits for it.
        threads[number].submit { _ in
            body()
            self.hasDone(number)
        }
        return true
    }

    private func start<Value: Sendable>(
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
            // First this: who hears of the end may be back with more at once.
            self.hasDone(number)
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

    private func hasDone(_ number: Int) { waiting.withLock { $0[number] -= 1 } }

    func shutdown() async {
        for thread in threads { try? await thread.shutdownGracefully() }
    }
}

extension DiskThreads: TaskExecutor {
    /// For Swift's runtime.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let number = leastBusy()
        // Also when the threads have ended: a job that is not run is a task that never ends.
        threads[number].submit { _ in
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            self.hasDone(number)
        }
    }
}
