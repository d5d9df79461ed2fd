import NIOPosix

/// A few threads that may wait for the disk, so that no event loop and no thread of Swift's own does.
final class DiskThreads: Sendable {
    private let pool: NIOThreadPool

    init(count: Int) {
        precondition(count > 0, "BUG: count=\(count)")
        pool = NIOThreadPool(numberOfThreads: count)
        pool.start()
    }

    deinit { pool.shutdownGracefully { _ in } }

    /// Runs `body` on one of them, also for a task that was cancelled: what must be cleaned up is.
    ///
    /// - Throws: what `body` throws; `.ended` after ``shutdown()``.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(MediaStoreError) -> Value
    ) async throws(MediaStoreError) -> Value {
        let outcome: Result<Value, MediaStoreError> = await withCheckedContinuation { waiter in
            pool.submit { state in
                guard case .active = state else {
                    waiter.resume(returning: .failure(.ended))
                    return
                }
                waiter.resume(returning: Result { () throws(MediaStoreError) in try body() })
            }
        }
        return try outcome.get()
    }

    func shutdown() async { try? await pool.shutdownGracefully() }
}
