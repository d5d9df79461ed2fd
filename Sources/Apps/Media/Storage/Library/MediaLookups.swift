import Synchronization

/// Looks up rows for many requests with one statement at a time. An answer is never older than its
/// request.
///
/// Paths requested while a statement runs wait for the next statement, which looks up all of them.
/// So each request is answered by a statement that began after it, and sees every change that was
/// committed before it on any node. Nothing is cached, so nothing can be stale. However many
/// requests there are for a file, the database gets at most some thousand statements a second.
final class MediaLookups: Sendable {
    private typealias Waiter = CheckedContinuation<MediaFile?, any Error>

    private struct State {
        var waiting: [MediaPath: [Waiter]] = [:]
        var isAsking = false
    }

    private let ask: @Sendable ([MediaPath]) async throws -> [MediaPath: MediaFile]
    private let state = Mutex(State())

    /// - Parameter ask: returns the existing rows of these paths.
    init(_ ask: @escaping @Sendable ([MediaPath]) async throws -> [MediaPath: MediaFile]) {
        self.ask = ask
    }

    func find(_ path: MediaPath) async throws -> MediaFile? {
        try await withCheckedThrowingContinuation { waiter in
            let isToBegin = state.withLock { state in
                state.waiting[path, default: []].append(waiter)
                defer { state.isAsking = true }
                return !state.isAsking
            }
            if isToBegin { Task { await askOn() } }
        }
    }

    /// Requests waiting for the next statement.
    var waitingCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// Runs statements until no request is waiting.
    private func askOn() async {
        while let waiting = takeAll() {
            let outcome: Result<[MediaPath: MediaFile], any Error>
            do {
                outcome = .success(try await ask(Array(waiting.keys)))
            } catch {
                outcome = .failure(error)
            }
            for (path, waiters) in waiting {
                for waiter in waiters { waiter.resume(with: outcome.map { $0[path] }) }
            }
        }
    }

    private func takeAll() -> [MediaPath: [Waiter]]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isAsking = false
                return nil
            }
            defer { state.waiting = [:] }
            return state.waiting
        }
    }
}
