import Foundation
import Inspections
import Synchronization

/// Runs a few processes at a time, in the order that ``InspectionTurns`` decides.
final class InspectionLane: Sendable {
    private struct State {
        var turns: InspectionTurns
        var lastTicket = 0
        /// By ticket.
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
        var runs: [ObjectIdentifier: InspectionRun] = [:]
        var isStopped = false
        var ending: CheckedContinuation<Void, Never>?
    }

    private let state: Mutex<State>

    init(_ turns: InspectionTurns) { state = Mutex(State(turns: turns)) }

    /// The number of running processes.
    var runsCount: Int { state.withLock { $0.runs.count } }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Waits for a turn and runs `body` in it.
    ///
    /// - Returns: nil when too many wait, after ``stop()``, and when cancelled while it waits.
    func turn<Value>(
        of client: InspectionClient, _ body: () async throws -> Value
    ) async rethrows -> Value? {
        guard await enter(client) else { return nil }
        defer { leave(client) }
        return try await body()
    }

    /// Inspects a file in a process; call it within a turn. Cancelling the task kills the process.
    ///
    /// - Parameter spent: gets the processor time of the process when it has ended, however it did.
    func run(
        _ program: String, _ order: InspectionOrder, on subject: InspectionSubject,
        spent: @escaping @Sendable (Duration) -> Void = { _ in }
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
                // A separate thread: the run blocks for seconds, so it must not occupy a thread of
                // a pool, and the process is killed when the thread that started it ends.
                Thread.detachNewThread {
                    continuation.resume(
                        returning: Result { () throws(InspectionFailure) in
                            try run.run(program, order, on: subject, spent: spent)
                        })
                }
            }
        } onCancel: {
            run.stop()
        }
        return try outcome.get()
    }

    /// Kills running processes and refuses all waiting and later requests. Does not wait.
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

    /// Stops, and waits for the current turns to end. Call once.
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

    private func enter(_ client: InspectionClient) async -> Bool {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    guard !state.isStopped, !Task.isCancelled else { return false }
                    switch state.turns.ask(ticket, of: client) {
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
                state.turns.giveUp(ticket, of: client)
                    ? state.waiting.removeValue(forKey: ticket) : nil
            }
            continuation?.resume(returning: false)
        }
    }

    private func leave(_ client: InspectionClient) {
        let (next, ending) = state.withLock {
            state -> (CheckedContinuation<Bool, Never>?, CheckedContinuation<Void, Never>?) in
            let next = state.turns.end(of: client).flatMap { state.waiting.removeValue(forKey: $0) }
            guard state.turns.runningCount == 0 else { return (next, nil) }
            defer { state.ending = nil }
            return (next, state.ending)
        }
        next?.resume(returning: true)
        ending?.resume()
    }
}
