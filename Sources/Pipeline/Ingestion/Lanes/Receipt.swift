import Instruments
import Synchronization

/// Joins the outcomes of one batch's parcels, which may use several lanes, into one answer.
///
/// The answer is the worst outcome. A batch with a committed and a spooled part is answered as
/// spooled. A batch with a failed part is answered with the failure; when it is sent again, its
/// committed parts are duplicates.
final class Receipt: Sendable {
    let ticket: UInt64
    let target: any AcknowledgementTarget
    /// For a live unit: the ledger that counts its answer.
    private let ledger: UnitLedger?

    private struct State {
        var pending: Int
        var stored = 0
        var duplicates = 0
        var quarantined = 0
        var refusals = LaneRefusals()
        var result: String?
        var isSpooled = false
        var failure: CommitOutcome?
    }

    private let state: Mutex<State>

    /// - Parameter parts: how often it will be settled.
    init(
        ticket: UInt64, target: any AcknowledgementTarget, parts: Int, ledger: UnitLedger? = nil
    ) {
        self.ticket = ticket
        self.target = target
        self.ledger = ledger
        state = Mutex(State(pending: parts))
    }

    /// - Returns: the answer, when this was the last part.
    func settle(_ outcome: CommitOutcome) -> Acknowledgement? {
        let answer = state.withLock { state -> Acknowledgement? in
            switch outcome {
            case .committed(let stored, let duplicates, let quarantined, let refusals):
                state.stored += stored
                state.duplicates += duplicates
                state.quarantined += quarantined
                if refusals.count > 0 { state.refusals = state.refusals + refusals }
            case .recorded(let result):
                state.result = result
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
                quarantined: state.quarantined, refusals: state.refusals)
            let done = state.result.map { CommitOutcome.recorded(result: $0) } ?? committed
            let outcome = state.failure ?? (state.isSpooled ? .spooled : done)
            return Acknowledgement(ticket: ticket, outcome: outcome)
        }
        if let ledger, let answer { ledger.enter { $0.settle(answer.outcome) } }
        return answer
    }
}

extension UnitBook {
    fileprivate mutating func settle(_ outcome: CommitOutcome) {
        switch outcome {
        case .recorded: recorded += 1
        case .spooled: spooled += 1
        case .refused: refused += 1
        case .unavailable: turnedAway += 1
        case .committed: preconditionFailure("BUG: a unit was answered as a batch")
        }
    }
}
