public import Ingest
import Synchronization

/// Offers units of work of the router's requests to the lanes and awaits their outcomes.
///
/// ```
///  task ─ commit(unit) ─▶ waiting[ticket] ─ offer ─▶ lane ─ COMMIT ─▶ deliver ─▶ the task goes on
///                               └────────── time limit ─────────────────────────────▲
/// ```
/// The task resumes once, with the outcome or at the time limit, whichever comes first; the other
/// is ignored. After the time limit the unit may still be committed.
public final class UnitAdmission: AcknowledgementTarget {
    /// The result of offering a unit.
    enum Answer: Sendable, Equatable {
        case settled(UnitOutcome)
        /// The lanes did not take the unit, and nothing was stored.
        case turnedAway(RequestFailure)
        /// No outcome came in time.
        case late
    }

    private struct Waiter {
        let continuation: CheckedContinuation<Answer, Never>
        let limit: Task<Void, any Error>
    }

    private struct State {
        var waiting: [UInt64: Waiter] = [:]
        var nextTicket: UInt64 = 0
    }

    private let sink: any BatchSink
    private let within: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - sink: gets the units.
    ///   - within: time from an offer to its outcome.
    public init(_ sink: any BatchSink, within: Duration) {
        self.sink = sink
        self.within = within
    }

    /// Units whose outcome is awaited.
    var count: Int { state.withLock { $0.waiting.count } }

    /// Offers a unit and awaits its outcome.
    func commit(_ unit: WorkUnit) async -> Answer {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        return await withCheckedContinuation { continuation in
            // Registered before the offer, because the outcome may arrive before the offer returns.
            state.withLock { state in
                let limit = Task { [within] in
                    try await Task.sleep(for: within)
                    settle(ticket, .late)
                }
                state.waiting[ticket] = Waiter(continuation: continuation, limit: limit)
            }
            switch sink.offer(unit, ticket: ticket, replyTo: self) {
            case .taken: sink.dispatch()
            case .full(let time): settle(ticket, .turnedAway(.overloaded(retryAfter: time)))
            case .shareUsedUp(let time):
                settle(ticket, .turnedAway(.laneShareUsedUp(retryAfter: time)))
            case .unavailable(let time):
                settle(ticket, .turnedAway(.databaseUnavailable(retryAfter: time)))
            }
        }
    }

    /// Commits a unit for a request.
    ///
    /// - Throws: the answer to the request, if the unit has no outcome.
    public func outcome(of unit: WorkUnit) async throws(RequestFailure) -> UnitOutcome {
        switch await commit(unit) {
        case .settled(let outcome): return outcome
        case .turnedAway(let failure): throw failure
        case .late: throw .commitLate(retryAfter: Self.lateRetryAfter)
        }
    }

    /// For a unit without an outcome in time.
    private static let lateRetryAfter = Duration.seconds(10)

    /// See ``AcknowledgementTarget``.
    public func deliver(_ acknowledgements: [UnitOutcome.Acknowledgement]) {
        for acknowledgement in acknowledgements {
            settle(acknowledgement.ticket, .settled(acknowledgement.outcome))
        }
    }

    private func settle(_ ticket: UInt64, _ answer: Answer) {
        guard let waiter = state.withLock({ $0.waiting.removeValue(forKey: ticket) }) else {
            return
        }
        waiter.limit.cancel()
        waiter.continuation.resume(returning: answer)
    }
}
