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
        of user: String, _ body: () async throws -> Value
    ) async rethrows -> Value? {
        guard await enter(user) else { return nil }
        defer { leave(user) }
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

/// Why a file has no facts or thumbnail.
public enum InspectionFailure: Error, Equatable, Sendable {
    /// No library can read it.
    case unreadable
    /// It has more pixels than the limit.
    case tooManyPixels
    /// The process crashed or exceeded its limits.
    case overLimits(InspectionEnd)
    /// The server is stopping, or the request was cancelled.
    case stopped
    /// Too many requests are waiting.
    case busy
    /// The files of the user have taken as much processor time as they may.
    case budgetUsedUp(retryAfter: Duration)
    /// The process could not be started; the file is not the cause.
    case notStarted(errno: Int32)

    /// Whether the file is the cause, so that another try would probably fail the same way.
    var isOfTheFile: Bool {
        switch self {
        case .unreadable, .tooManyPixels, .overLimits: true
        case .stopped, .busy, .budgetUsedUp, .notStarted: false
        }
    }
}

/// How a process without a valid answer ended.
public enum InspectionEnd: Equatable, Sendable {
    /// It was killed at its deadline.
    case late
    /// It was killed because its output was too long.
    case loud
    /// By this signal, from a limit (SIGXCPU, SIGALRM, SIGKILL) or a crash.
    case signalled(Int32)
    /// With this status, and without a valid answer.
    case exited(Int32)
}

/// Decides who may start a process next. Users take turns, and no user gets all places, unless
/// there is only one. It only decides; ``InspectionLane`` acts.
struct InspectionTurns {
    enum Answer: Equatable {
        case go
        case wait
        case refused
    }

    /// Processes at once. One user may have one fewer, but at least one.
    let atOnceMax: Int
    /// Waiting requests of all users.
    let waitingMax: Int
    /// Waiting requests of one user.
    let waitingPerUserMax: Int
    private(set) var runningCount = 0
    private(set) var waitingCount = 0
    private var running: [String: Int] = [:]
    /// Tickets, the oldest first.
    private var waiting: [String: [Int]] = [:]
    /// Users with waiting requests, in the order of their next turn.
    private var users: [String] = []

    private var perUserMax: Int { max(1, atOnceMax - 1) }

    init(atOnceMax: Int, waitingMax: Int, waitingPerUserMax: Int) {
        precondition(atOnceMax > 0, "BUG: atOnceMax=\(atOnceMax)")
        self.atOnceMax = atOnceMax
        self.waitingMax = waitingMax
        self.waitingPerUserMax = waitingPerUserMax
    }

    /// - Parameter ticket: unique.
    mutating func ask(_ ticket: Int, of user: String) -> Answer {
        if mayRun(user) {
            start(user)
            return .go
        }
        let own = waiting[user]?.count ?? 0
        guard waitingCount < waitingMax, own < waitingPerUserMax else { return .refused }
        if own == 0 { users.append(user) }
        waiting[user, default: []].append(ticket)
        waitingCount += 1
        return .wait
    }

    /// Ends a turn of the user.
    ///
    /// - Returns: the ticket whose turn begins.
    mutating func end(of user: String) -> Int? {
        guard let count = running[user] else { preconditionFailure("BUG: no turn to end") }
        running[user] = count == 1 ? nil : count - 1
        runningCount -= 1
        guard let index = users.firstIndex(where: mayRun) else { return nil }
        let next = users.remove(at: index)
        guard let ticket = waiting[next]?.removeFirst() else {
            preconditionFailure("BUG: a user who waits for nothing")
        }
        waitingCount -= 1
        if waiting[next]?.isEmpty == true { waiting[next] = nil } else { users.append(next) }
        start(next)
        return ticket
    }

    /// Removes a waiting request.
    ///
    /// - Returns: false when the ticket was not waiting.
    mutating func giveUp(_ ticket: Int, of user: String) -> Bool {
        guard let index = waiting[user]?.firstIndex(of: ticket) else { return false }
        waiting[user]?.remove(at: index)
        waitingCount -= 1
        if waiting[user]?.isEmpty == true {
            waiting[user] = nil
            users.removeAll { $0 == user }
        }
        return true
    }

    /// Removes all waiting requests.
    mutating func giveUpAll() {
        waiting = [:]
        users = []
        waitingCount = 0
    }

    private func mayRun(_ user: String) -> Bool {
        runningCount < atOnceMax && running[user, default: 0] < perUserMax
    }

    private mutating func start(_ user: String) {
        running[user, default: 0] += 1
        runningCount += 1
    }
}
