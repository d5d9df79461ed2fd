import Ingestion
import Synchronization

/// Where requests that the router answers give units of work to the lanes, and wait for what becomes
/// of them.
///
/// ```
///  task ─ commit(unit) ─▶ waiting[ticket] ─ offer ─▶ lane ─ COMMIT ─▶ deliver ─▶ the task goes on
///                               └────────── time limit ─────────────────────────────▲
/// ```
/// Whoever waits is told once, by the outcome or by the time limit, whichever comes first; the other
/// one finds nobody. After the time limit the unit may still be committed.
final class UnitDesk: AcknowledgementTarget {
    /// What came of a unit.
    enum Answer: Sendable, Equatable {
        case settled(CommitOutcome)
        /// The lanes did not take it: nothing was kept.
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

    /// - Parameter within: from an offer to its outcome.
    init(_ sink: any BatchSink, within: Duration) {
        self.sink = sink
        self.within = within
    }

    /// Units that are waited for.
    var count: Int { state.withLock { $0.waiting.count } }

    /// Offers a unit and waits for its outcome.
    func commit(_ unit: WorkUnit) async -> Answer {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        return await withCheckedContinuation { continuation in
            // Before the offer, for the outcome may be there before it returns.
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
