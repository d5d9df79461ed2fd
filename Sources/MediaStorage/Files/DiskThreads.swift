import NIOPosix

/// A few threads that may wait for the disk, so that no event loop and no thread of Swift's own does.
final class DiskThreads: Sendable {
    private let pool: NIOThreadPool

    init(count: Int) {
        pool = NIOThreadPool(numberOfThreads: count)
        pool.start()
    }

    deinit { pool.shutdownGracefully { _ in } }

    /// Runs `body` after what came before it, on the first thread that is free.
    ///
    /// - Throws: what `body` throws; `.ended` after ``shutdown()``.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(MediaStoreError) -> Value
    ) async throws(MediaStoreError) -> Value {
        let outcome: Result<Value, MediaStoreError> = await withCheckedContinuation {
            continuation in
            pool.submit { state in
                guard case .active = state else {
                    return continuation.resume(returning: .failure(.ended))
                }
                do throws(MediaStoreError) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try outcome.get()
    }

    func shutdown() async { try? await pool.shutdownGracefully() }
}
