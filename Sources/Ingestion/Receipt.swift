import Synchronization

/// Joins the parcels of one batch, which may go through several lanes, to one answer.
///
/// The answer is the worst of its parts: a batch of which one part is committed and another is not
/// is answered with the latter, and when it comes again the committed part is duplicates.
final class Receipt: Sendable {
    let ticket: UInt64
    let target: any AcknowledgementTarget

    private struct State {
        var pending: Int
        var stored = 0
        var duplicates = 0
        var quarantined = 0
        var failure: CommitOutcome?
    }

    private let state: Mutex<State>

    init(ticket: UInt64, target: any AcknowledgementTarget, parcels: Int) {
        self.ticket = ticket
        self.target = target
        state = Mutex(State(pending: parcels))
    }

    /// - Returns: the answer, when this was the last part.
    func settle(_ outcome: CommitOutcome) -> Acknowledgement? {
        state.withLock { state in
            switch outcome {
            case .committed(let stored, let duplicates, let quarantined):
                state.stored += stored
                state.duplicates += duplicates
                state.quarantined += quarantined
            case .unavailable, .refused:
                state.failure = state.failure ?? outcome
            }
            state.pending -= 1
            precondition(state.pending >= 0, "BUG: a parcel was settled twice")
            guard state.pending == 0 else { return nil }
            let outcome =
                state.failure
                ?? .committed(
                    stored: state.stored, duplicates: state.duplicates,
                    quarantined: state.quarantined)
            return Acknowledgement(ticket: ticket, outcome: outcome)
        }
    }
}
