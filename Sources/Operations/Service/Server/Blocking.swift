import Dispatch
import Media
import ServiceLifecycle

/// Runs what blocks on a thread of its own, so that none of Swift's pool waits for it.
func blocking<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let outcome: Result<Value, Failure> = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            do throws(Failure) {
                continuation.resume(returning: .success(try body()))
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
    }
    return try outcome.get()
}

/// Waits for work that can't be interrupted, until a moment or until the caller is cancelled. The
/// work goes on then, and hears of the cancellation.
///
/// - Returns: what it gave; nil when it was not waited for any longer.
func value<Value: Sendable>(
    of work: Task<Value, Never>, by deadline: ContinuousClock.Instant? = nil
) async -> Value? {
    let (values, signal) = AsyncStream.makeStream(of: Value.self)
    Task {
        signal.yield(await work.value)
        signal.finish()
    }
    let alarm = deadline.map { deadline in
        Task {
            try? await Task.sleep(until: deadline)
            signal.finish()
        }
    }
    defer { alarm?.cancel() }
    for await value in values { return value }
    if Task.isCancelled { work.cancel() }
    return nil
}

/// Ends the making of thumbnails as soon as the server is told to stop: requests for one are not worth
/// waiting for.
struct ThumbnailStop: Service {
    let inspector: Inspector

    func run() async throws {
        try? await gracefulShutdown()
        inspector.stopThumbnails()
    }
}
