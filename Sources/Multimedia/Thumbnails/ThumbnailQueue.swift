import Dispatch
import Synchronization

/// Lets one thumbnail be made at a time, in the order of asking, on a thread of its own: a decoded
/// image takes hundreds of megabytes and all of a core.
final class ThumbnailQueue: Sendable {
    private struct State {
        var isBusy = false
        var isEnded = false
        var waiting: [CheckedContinuation<Bool, Never>] = []
        var ending: CheckedContinuation<Void, Never>?
    }

    private let waitingMax: Int
    private let state = Mutex(State())
    private let thread = DispatchQueue(label: "sluice.thumbnails", qos: .utility)

    init(waitingMax: Int) { self.waitingMax = waitingMax }

    /// Somebody has a turn.
    var isBusy: Bool { state.withLock(\.isBusy) }

    /// Waits for a turn and runs `body` in it.
    ///
    /// - Returns: nil when too many wait, and after ``shutdown()``.
    func run<Value: Sendable>(_ body: () async throws -> Value) async rethrows -> Value? {
        guard await enter() else { return nil }
        defer { leave() }
        return try await body()
    }

    /// Runs what blocks, on the thread; to be called in a turn.
    func block<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            thread.async { continuation.resume(returning: body()) }
        }
    }

    /// Waits for the turn under way; nobody gets one any more.
    func shutdown() async {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isEnded = true
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: false) }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.isBusy { state.ending = continuation }
                return !state.isBusy
            }
            if isIdle { continuation.resume() }
        }
    }

    private func enter() async -> Bool {
        await withCheckedContinuation { continuation in
            let outcome: Bool? = state.withLock { state in
                guard !state.isEnded else { return false }
                guard state.isBusy else {
                    state.isBusy = true
                    return true
                }
                guard state.waiting.count < waitingMax else { return false }
                state.waiting.append(continuation)
                return nil
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }

    private func leave() {
        let (next, ending) = state.withLock {
            state -> (CheckedContinuation<Bool, Never>?, CheckedContinuation<Void, Never>?) in
            guard state.waiting.isEmpty else { return (state.waiting.removeFirst(), nil) }
            state.isBusy = false
            defer { state.ending = nil }
            return (nil, state.ending)
        }
        next?.resume(returning: true)
        ending?.resume()
    }
}
