import ServiceLifecycle

/// Work that a service does again and again.
public enum Repetition {
    /// Calls `step` until the service group shuts down gracefully or the task is cancelled, with a
    /// pause after each call.
    ///
    /// - Parameters:
    ///   - interval: the pause.
    ///   - delay: a pause before the first call.
    public static func run(
        every interval: Duration, after delay: Duration = .zero,
        _ step: @escaping @Sendable () async -> Void
    ) async {
        await run((), after: delay) { _ in
            await step()
            return interval
        }
    }

    /// The same, where each call returns the pause after it; nil ends the work.
    ///
    /// - Parameter state: what `step` keeps from one call to the next.
    public static func run<State: Sendable>(
        _ state: State, after delay: Duration = .zero,
        _ step: @escaping @Sendable (inout State) async throws -> Duration?
    ) async rethrows {
        try await cancelWhenGracefulShutdown {
            var state = state
            if delay > .zero { try? await Task.sleep(for: delay) }
            while !Task.isCancelled {
                guard let pause = try await step(&state) else { return }
                try? await Task.sleep(for: pause)
            }
        }
    }
}
