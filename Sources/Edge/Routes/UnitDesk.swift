import Ingestion
import Synchronization

/// Offers units of work of the router's requests to the lanes and awaits their outcomes.
///
/// ```
///  task ─ commit(unit) ─▶ waiting[ticket] ─ offer ─▶ lane ─ COMMIT ─▶ deliver ─▶ the task goes on
///                               └────────── time limit ─────────────────────────────▲
/// ```
/// The task resumes once, with the outcome or at the time limit, whichever comes first; the other
/// is ignored. After the time limit the unit may still be committed.
final class UnitDesk: AcknowledgementTarget {
    /// The result of offering a unit.
    enum Answer: Sendable, Equatable {
        case settled(CommitOutcome)
        /// The lanes did not take the unit, and nothing was stored.
        case turnedAway(Offer)
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

    /// - Parameter within: time from an offer to its outcome.
    init(_ sink: any BatchSink, within: Duration) {
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
            let offer = sink.offer(unit, ticket: ticket, replyTo: self)
            if offer == .taken {
                sink.dispatch()
            } else {
                settle(ticket, .turnedAway(offer))
            }
        }
    }

    /// Commits a unit for a request.
    ///
    /// - Throws: the answer to the request, if the unit has no outcome.
    func outcome(of unit: WorkUnit) async throws(RouteFailure) -> CommitOutcome {
        switch await commit(unit) {
        case .settled(let outcome): return outcome
        case .turnedAway(.full(let time)): throw .lanesFull(retryAfter: time)
        case .turnedAway(.shareUsedUp(let time)): throw .laneShareUsedUp(retryAfter: time)
        case .turnedAway(.unavailable(let time)): throw .databaseUnavailable(retryAfter: time)
        case .turnedAway(.taken): preconditionFailure("BUG: taken and turned away")
        case .late: throw .commitLate(retryAfter: Self.lateRetryAfter)
        }
    }

    /// For a unit without an outcome in time.
    private static let lateRetryAfter = Duration.seconds(10)

    func deliver(_ acknowledgements: [Acknowledgement]) {
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
