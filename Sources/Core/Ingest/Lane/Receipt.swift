import Synchronization

/// Joins the outcomes of one batch's parts, which may use several lanes, into one answer; also
/// those of one record of the spool.
///
/// The answer is the worst outcome. A batch with a committed and a spooled part is answered as
/// spooled. A batch with a failed part is answered with the failure; when it is sent again, its
/// committed parts are duplicates.
final class Receipt: Sendable {
    let ticket: UInt64
    let target: BatchTarget

    private struct State {
        var pending: Int
        var counts = BatchCounts()
        var isSpooled = false
        var failure: BatchOutcome?
    }

    private let state: Mutex<State>

    /// - Parameter parts: how often it will be settled.
    init(ticket: UInt64, target: BatchTarget, parts: Int) {
        self.ticket = ticket
        self.target = target
        state = Mutex(State(pending: parts))
    }

    /// - Returns: the answer, when this was the last part.
    func settle(_ outcome: BatchOutcome) -> BatchOutcome.Acknowledgement? {
        state.withLock { state in
            switch outcome {
            case .committed(let counts): state.counts += counts
            case .spooled: state.isSpooled = true
            case .unavailable, .refused: state.failure = state.failure ?? outcome
            }
            state.pending -= 1
            precondition(state.pending >= 0, "BUG: a part was settled twice")
            guard state.pending == 0 else { return nil }
            let safe = state.isSpooled ? .spooled : BatchOutcome.committed(state.counts)
            return BatchOutcome.Acknowledgement(ticket: ticket, outcome: state.failure ?? safe)
        }
    }
}
