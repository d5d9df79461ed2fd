import Synchronization

/// Finds rows for many requests with one statement at a time, and never tells what was true only
/// before the request came.
///
/// Paths that are asked for while a statement is under way wait for the next one, which asks for all
/// of them. So a request is answered by a statement that began after it, as if it had asked itself:
/// whatever was replaced or removed before, on whichever node, it sees. Nothing is remembered, so
/// nothing has to be forgotten; and however many ask for one file, the database is asked some
/// thousand times a second at most.
final class MediaLookups: Sendable {
    private typealias Waiter = CheckedContinuation<MediaFile?, any Error>

    private struct State {
        var waiting: [MediaPath: [Waiter]] = [:]
        var isAsking = false
    }

    private let ask: @Sendable ([MediaPath]) async throws -> [MediaPath: MediaFile]
    private let state = Mutex(State())

    /// - Parameter ask: finds the rows that there are of these paths.
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

    /// Requests for the next statement.
    var waitingCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// Until nobody waits.
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
