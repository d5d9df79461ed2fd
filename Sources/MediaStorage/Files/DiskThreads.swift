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
        try await start(body).value()
    }

    /// The same, without waiting for it.
    func start<Value: Sendable>(
        _ body: @escaping @Sendable () throws(MediaStoreError) -> Value
    ) -> DiskWork<Value> {
        let work = DiskWork<Value>()
        pool.submit { state in
            guard case .active = state else { return work.end(.failure(.ended)) }
            do throws(MediaStoreError) {
                work.end(.success(try body()))
            } catch {
                work.end(.failure(error))
            }
        }
        return work
    }

    func shutdown() async { try? await pool.shutdownGracefully() }
}
