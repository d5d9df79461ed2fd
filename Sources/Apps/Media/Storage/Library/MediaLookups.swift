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

/// Objects that were read lately, left open.
///
/// An object's content never changes, so one that a row names may be read through whatever was opened
/// under its name. What is open here keeps its room on the disk when its name goes; so a sweep closes
/// all of it first.
final class OpenObjects: Sendable {
    private struct Entry {
        let source: any MediaSource
        var usedAt: UInt64
    }

    private struct State {
        var entries: [ObjectName: Entry] = [:]
        /// Counts uses.
        var clock: UInt64 = 0
    }

    /// Descriptors that are kept at most.
    static let countMax = 256

    private let state = Mutex(State())

    func find(_ object: ObjectName) -> (any MediaSource)? {
        state.withLock { state in
            guard let source = state.entries[object]?.source else { return nil }
            state.clock += 1
            state.entries[object]?.usedAt = state.clock
            return source
        }
    }

    /// The least recently used one goes where there are too many.
    func keep(_ source: any MediaSource, as object: ObjectName) {
        let closed = state.withLock { state -> (any MediaSource)? in
            state.clock += 1
            state.entries[object] = Entry(source: source, usedAt: state.clock)
            guard state.entries.count > Self.countMax,
                let oldest = state.entries.min(by: { $0.value.usedAt < $1.value.usedAt })
            else { return nil }
            state.entries[oldest.key] = nil
            return oldest.value.source
        }
        // Closed outside of the lock, unless somebody reads from it.
        _ = closed
    }

    func closeAll() {
        let closed = state.withLock { state in
            defer { state.entries = [:] }
            return state.entries
        }
        _ = closed
    }
}
