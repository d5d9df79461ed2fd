import Foundation
import Synchronization

/// Lets a few processes run at a time, and hands out their turns (``InspectionTurns``).
final class InspectionLane: Sendable {
    private struct State {
        var turns: InspectionTurns
        var lastTicket = 0
        /// By their tickets.
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
        var runs: [ObjectIdentifier: InspectionRun] = [:]
        var isStopped = false
        var ending: CheckedContinuation<Void, Never>?
    }

    private let state: Mutex<State>

    init(_ turns: InspectionTurns) { state = Mutex(State(turns: turns)) }

    /// Processes that run.
    var runsCount: Int { state.withLock { $0.runs.count } }

    /// Waits for a turn and runs `body` in it.
    ///
    /// - Returns: nil when too many wait, after ``stop()``, and when the task is cancelled meanwhile.
    func turn<Value>(
        of user: String, _ body: () async throws -> Value
    ) async rethrows -> Value? {
        guard await enter(user) else { return nil }
        defer { leave(user) }
        return try await body()
    }

    /// Has a process look into a file; to be called in a turn. Cancelling the task kills it.
    func run(
        _ program: String, _ order: InspectionOrder, on subject: InspectionSubject
    ) async throws(InspectionFailure) -> InspectionAnswer {
        let run = InspectionRun()
        let mayRun = state.withLock { state in
            if !state.isStopped { state.runs[ObjectIdentifier(run)] = run }
            return !state.isStopped
        }
        guard mayRun else { throw .stopped }
        defer { _ = state.withLock { $0.runs.removeValue(forKey: ObjectIdentifier(run)) } }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A thread of its own: no pool waits for seconds, nor is one ended while the process
                // lives, which ends with the thread that has started it.
                Thread.detachNewThread {
                    continuation.resume(
                        returning: Result { () throws(InspectionFailure) in
                            try run.run(program, order, on: subject)
                        })
                }
            }
        } onCancel: {
            run.stop()
        }
        return try outcome.get()
    }

    /// Kills what runs and sends away who waits, now and from now on. Does not wait.
    func stop() {
        let (waiting, runs) = state.withLock { state in
            state.isStopped = true
            state.turns.giveUpAll()
            defer { state.waiting = [:] }
            return (Array(state.waiting.values), Array(state.runs.values))
        }
        for continuation in waiting { continuation.resume(returning: false) }
        for run in runs { run.stop() }
    }

    /// The same, and waits for the turns under way. Once.
    func shutdown() async {
        stop()
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.turns.runningCount > 0 { state.ending = continuation }
                return state.turns.runningCount == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    private func enter(_ user: String) async -> Bool {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    guard !state.isStopped, !Task.isCancelled else { return false }
                    switch state.turns.ask(ticket, of: user) {
                    case .go: return true
                    case .refused: return false
                    case .wait:
                        state.waiting[ticket] = continuation
                        return nil
                    }
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.turns.giveUp(ticket, of: user)
                    ? state.waiting.removeValue(forKey: ticket) : nil
            }
            continuation?.resume(returning: false)
        }
    }

    private func leave(_ user: String) {
        let (next, ending) = state.withLock {
            state -> (CheckedContinuation<Bool, Never>?, CheckedContinuation<Void, Never>?) in
            let next = state.turns.end(of: user).flatMap { state.waiting.removeValue(forKey: $0) }
            guard state.turns.runningCount == 0 else { return (next, nil) }
            defer { state.ending = nil }
            return (next, state.ending)
        }
        next?.resume(returning: true)
        ending?.resume()
    }
}
