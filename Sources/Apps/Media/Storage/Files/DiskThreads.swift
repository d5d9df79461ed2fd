public import Files
import Glibc
import NIOPosix
import Synchronization

typealias Descriptor = Files.Descriptor<MediaStoreError>

/// Throws the error in `errno(3)` unless a system call returned 0.
func check(_ outcome: Int32, _ operation: String) throws(MediaStoreError) {
    guard outcome == 0 else { throw MediaStoreError(errno: errno, operation) }
}

extension MediaStoreError: FileError {
    /// The error for a failed file operation.
    public init(_ failure: FileFailure) {
        self.init(errno: failure.errno, failure.operation.rawValue)
    }

    init(errno: Int32, _ operation: String) {
        switch errno {
        case ENOSPC, EDQUOT, EFBIG: self = .full
        default: self = .disk(operation: operation, errno: errno)
        }
    }
}

/// A few threads that may block on the disk, so that event loops and Swift's own threads don't.
final class DiskThreads: Sendable {
    private let pool: NIOThreadPool

    init(count: Int) {
        precondition(count > 0, "BUG: count=\(count)")
        pool = NIOThreadPool(numberOfThreads: count)
        pool.start()
    }

    deinit { pool.shutdownGracefully { _ in } }

    /// Runs `body` on one of the threads, even if the task is cancelled, so that cleanup always
    /// runs. The thread lets go of what `body` refers to before the caller continues: a file that
    /// only `body` had open is closed then, and its space is free once its name is removed.
    ///
    /// - Throws: what `body` throws; `.ended` after ``shutdown()``.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(MediaStoreError) -> Value
    ) async throws(MediaStoreError) -> Value {
        let work = Mutex(Optional(body))
        let outcome: Result<Value, MediaStoreError> = await withCheckedContinuation { waiter in
            pool.submit { state in
                guard case .active = state else {
                    waiter.resume(returning: .failure(.ended))
                    return
                }
                let outcome = Result { () throws(MediaStoreError) in
                    try Self.take(from: work)()
                }
                waiter.resume(returning: outcome)
            }
        }
        return try outcome.get()
    }

    private static func take<Work>(from work: borrowing Mutex<Work?>) -> Work {
        guard let work = work.withLock({ $0.take() }) else {
            preconditionFailure("BUG: work that runs twice")
        }
        return work
    }

    func shutdown() async { try? await pool.shutdownGracefully() }
}
