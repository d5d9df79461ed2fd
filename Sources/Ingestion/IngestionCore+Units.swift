import Channels
import Instruments

/// The way in for units of work: the same lanes, the same spool, books of their own.
extension IngestionCore {
    package func offer(
        _ unit: WorkUnit, ticket: UInt64, replyTo: any AcknowledgementTarget
    ) -> Offer {
        precondition(
            keeper?.knows(unit.kind) != false,
            "BUG: units of kind \(unit.kind.name) could not be brought back from the spool")
        units.receive()
        let offer = take(unit, ticket: ticket, replyTo: replyTo)
        if offer != .taken { units.turnAway() }
        return offer
    }

    private func take(
        _ unit: WorkUnit, ticket: UInt64, replyTo: any AcknowledgementTarget
    ) -> Offer {
        let lane = lanes[routes.lane(ofUnit: unit.route)]
        let receipt = Receipt(ticket: ticket, target: replyTo, parts: 1, ledger: units)
        let entry = GroupUnit(unit, receivedAt: stamps.next(outside.wallClock))
        guard lane.isTaking else {
            guard let keeper else { return .unavailable(retryAfter: CommitOutcome.awayTime) }
            let item = SpoolItem(
                load: .unit(entry), receivedAt: entry.receivedAt, receipt: receipt)
            return keeper.offer(item) ? .taken : .unavailable(retryAfter: CommitOutcome.awayTime)
        }
        let consignment = Consignment(
            load: .unit(entry), receivedAt: entry.receivedAt, receipt: receipt,
            offeredAt: outside.now)
        switch lane.offer(consignment) {
        case .taken: return .taken
        case .shareUsedUp: return .shareUsedUp(retryAfter: lane.retryAfter)
        case .full, .closed: return .full(retryAfter: lane.retryAfter)
        }
    }
}
