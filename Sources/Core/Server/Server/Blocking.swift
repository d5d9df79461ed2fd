import Dispatch
import ServiceLifecycle

/// Runs a blocking body on a separate thread, so that it does not block one of Swift's pool.
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

/// Waits for work that can't be interrupted, until the deadline or the caller's cancellation. The
/// work continues in both cases; cancellation is passed on to it.
///
/// - Returns: the work's value; nil if the wait ended first.
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
