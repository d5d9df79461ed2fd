import SpoolLogSupport
import Auth
import Ingest
import Scanner

/// The client's side of one process: clients hand in batches and units here, and the process
/// delivers its answers here.
final class Desk: AcknowledgementTarget, @unchecked Sendable {
    // Guard of `@unchecked`: the baton.

    /// Where the answers to units arrive.
    private final class Units: AcknowledgementTarget, @unchecked Sendable {
        // Guard of `@unchecked`: the baton.
        unowned(unsafe) let desk: Desk

        init(_ desk: Desk) { self.desk = desk }

        func deliver(_ acknowledgements: [UnitOutcome.Acknowledgement]) {
            desk.receive(acknowledgements.map { ($0.ticket, .note($0.outcome)) })
        }
    }

    /// What the process says of an offer.
    enum Answer: Equatable {
        case batch(BatchOutcome)
        case note(UnitOutcome)

        var isSpooled: Bool { self == .batch(.spooled) || self == .note(.spooled) }

        /// Committed or spooled.
        var isSafe: Bool {
            switch self {
            case .batch(.committed), .note(.committed): true
            default: isSpooled
            }
        }

        var isRefused: Bool {
            switch self {
            case .batch(.refused), .note(.refused): true
            default: false
            }
        }
    }

    /// What a client offers.
    enum Content {
        case batch(Parts)
        case note(Note)
    }

    /// An offer that was accepted and not yet answered.
    final class Pending {
        let content: Content
        let since: Int64
        let fiber: Fiber
        var answer: Answer?
        /// The core has returned `taken` for it.
        var isTaken = false

        init(_ content: Content, since: Int64, fiber: Fiber) {
            self.content = content
            self.since = since
            self.fiber = fiber
        }
    }

    unowned(unsafe) private let run: Run
    unowned(unsafe) private let life: Life
    private(set) var pending: [UInt64: Pending] = [:]
    private var nextTicket: UInt64 = 0
    private lazy var units = Units(self)

    init(_ run: Run, _ life: Life) {
        self.run = run
        self.life = life
    }

    /// Offers a batch to the core.
    ///
    /// - Returns: nil when the core did not accept it.
    func offer(_ batch: ScannedBatch, bytes: Int) -> Pending? {
        guard let core = life.core else { return nil }
        let parts = Parts(batch.deviceBatches)
        run.oracle.sends(parts)
        guard core.refusal(forBytes: bytes, of: nil) == nil,
            core.refusal(forBytes: bytes, of: batch.deviceBatches[0].key) == nil
        else { return nil }
        return offer(.batch(parts)) { ticket in
            core.offer(batch, key: KeyID(name: "key", id: nil), ticket: ticket, replyTo: self)
        }
    }

    /// Offers a unit to the core, like a batch.
    func offer(_ note: Note) -> Pending? {
        guard let core = life.core else { return nil }
        run.oracle.sends(note)
        return offer(.note(note)) { core.offer(note.unit, ticket: $0, replyTo: units) }
    }

    private func offer(_ content: Content, _ hand: (UInt64) -> Offer) -> Pending? {
        nextTicket += 1
        let ticket = nextTicket
        let offer = Pending(content, since: run.scheduler.now, fiber: run.scheduler.current)
        // The answer may arrive before `offer` returns.
        pending[ticket] = offer
        let answer = hand(ticket)
        guard !life.isDead else { return nil }
        if answer == .taken {
            offer.isTaken = true
            return offer
        }
        if pending.removeValue(forKey: ticket) == nil {
            run.oracle.violation("an offer was turned away and answered")
        }
        return nil
    }

    func deliver(_ acknowledgements: [BatchOutcome.Acknowledgement]) {
        receive(acknowledgements.map { ($0.ticket, .batch($0.outcome)) })
    }

    private func receive(_ answers: [(ticket: UInt64, answer: Answer)]) {
        guard !life.isDead else { return }
        for answer in answers { receive(answer) }
        if run.sabotages(.deliversTwice, once: 20), let first = answers.first {
            receive(first)
        }
        life.step()
        if life.canCrash,
            run.scheduler.dice.happens(perThousand: run.scenario.crashBehindAnswerRate)
        {
            life.crash()
        }
    }

    private func receive(_ given: (ticket: UInt64, answer: Answer)) {
        guard let offer = pending.removeValue(forKey: given.ticket) else {
            return run.oracle.violation("an answer to ticket \(given.ticket) too many")
        }
        run.tell("\(life.slot).\(life.number) answers \(given.ticket): \(given.answer)")
        offer.answer = given.answer
        run.oracle.answered(offer, given.answer, slot: life.slot)
        run.scheduler.wake(offer.fiber)
    }

    /// Reports an offer that has waited for its answer longer than allowed.
    func checkWaiting() {
        for (ticket, offer) in pending.sorted(by: { $0.key < $1.key })
        where run.scheduler.now - offer.since > run.scenario.answerTimeMax {
            return run.oracle.violation("ticket \(ticket) has no answer")
        }
    }
}
