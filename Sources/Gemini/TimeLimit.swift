package import NIOCore

/// The work took longer than it may.
package struct TimeLimitExceeded: Error {}

/// Runs `work`, and cancels it when `limit` has passed.
///
/// - Throws: what `work` throws, or ``TimeLimitExceeded``; `work` has ended in both cases.
package func withTimeLimit<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await work() }
        group.addTask {
            try? await Task.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        while let outcome = try await group.next() {
            guard let value = outcome else { throw TimeLimitExceeded() }
            return value
        }
        throw TimeLimitExceeded()
    }
}

extension TimeAmount {
    /// For a client that also wants a limit; never negative.
    package static func limit(_ duration: Duration) -> TimeAmount {
        .nanoseconds(Int64(max(duration, .zero) / .nanoseconds(1)))
    }
}
