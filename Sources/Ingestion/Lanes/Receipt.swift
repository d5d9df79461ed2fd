import Synchronization

/// Joins the parcels of one batch, which may go through several lanes, to one answer.
///
/// The answer is the worst of its parts: a batch of which one part is committed and another is
/// spooled is answered as spooled; one of which a part is lost to it is answered with that, and when
/// it comes again the committed part is duplicates.
final class Receipt: Sendable {
    let ticket: UInt64
    let target: any AcknowledgementTarget

    private struct State {
        var pending: Int
        var stored = 0
        var duplicates = 0
        var quarantined = 0
        var isSpooled = false
        var failure: CommitOutcome?
    }

    private let state: Mutex<State>

    /// - Parameter parts: how often it will be settled.
    init(ticket: UInt64, target: any AcknowledgementTarget, parts: Int) {
        self.ticket = ticket
        self.target = target
        state = Mutex(State(pending: parts))
    }

    /// - Returns: the answer, when this was the last part.
    func settle(_ outcome: CommitOutcome) -> Acknowledgement? {
        state.withLock { state in
            switch outcome {
            case .committed(let stored, let duplicates, let quarantined):
                state.stored += stored
                state.duplicates += duplicates
                state.quarantined += quarantined
            case .spooled:
                state.isSpooled = true
            case .unavailable, .refused:
                state.failure = state.failure ?? outcome
            }
            state.pending -= 1
            precondition(state.pending >= 0, "BUG: a part was settled twice")
            guard state.pending == 0 else { return nil }
            let committed = CommitOutcome.committed(
                stored: state.stored, duplicates: state.duplicates,
                quarantined: state.quarantined)
            let outcome = state.failure ?? (state.isSpooled ? .spooled : committed)
            return Acknowledgement(ticket: ticket, outcome: outcome)
        }
    }
}
