import Logging
import Synchronization

/// Keeps senders that can't be written at the moment from delaying others.
extension LaneWorker {
    /// Takes what must not delay others out of ``group``.
    ///
    /// - Returns: what has to wait longer, and what is to be tried, a sender at a time.
    func takeBlocked() -> (waiting: [Shipment], due: [[Shipment]]) {
        guard !blocked.isEmpty, health.isUp else { return ([], []) }
        let now = outside.now
        var free: [Shipment] = []
        var waiting: [Shipment] = []
        var due: [[Shipment]] = []
        var places: [Sender: Int] = [:]
        for shipment in group {
            let sender = Sender(shipment)
            switch blocked.standing(of: sender, now: now) {
            case .free: free.append(shipment)
            case .waiting:
                blocked.touch(sender, now: now)
                waiting.append(shipment)
            case .alone, .due:
                if let place = places[sender] {
                    due[place].append(shipment)
                } else {
                    places[sender] = due.count
                    due.append([shipment])
                }
            }
        }
        group = free
        return (waiting, due)
    }

    /// Tries senders one by one, until such a trial has taken its share of the lane's time.
    ///
    /// - Returns: what was not tried.
    func tryAlone(
        _ due: [[Shipment]], _ settle: ([Shipment]) -> Void
    ) -> [Shipment] {
        var left: [Shipment] = []
        for shipments in due {
            let sender = Sender(shipments[0])
            for group in groups(of: shipments) {
                let start = outside.now
                guard blocked.standing(of: sender, now: start) != .waiting else {
                    left += group
                    continue
                }
                isTrial = true
                settle(group)
                isTrial = false
                let end = outside.now
                if blocked.standing(of: sender, now: end) == .waiting {
                    blocked.trialFailed(from: start, to: end)
                }
            }
        }
        return left
    }

    /// Notes whom the settlement of a group has found to be blocked, and who was written.
    func note(
        _ settlement: GroupSettlement, of group: [Shipment], _ outcomes: [CommitOutcome]
    ) {
        let isNothing = settlement.blocked.isEmpty && settlement.writtenInPieces.isEmpty
        guard !blocked.isEmpty || !isNothing else { return }
        let now = outside.now
        let before = blocked.count
        for (shipment, outcome) in zip(group, outcomes) where outcome.isCommitted {
            blocked.free(Sender(shipment))
        }
        for sender in settlement.writtenInPieces { blocked.setApart(sender, now: now) }
        for sender in settlement.blocked { blocked.block(sender, now: now) }
        publishBlocked(before)
    }

    func publishBlocked(_ before: Int) {
        let count = blocked.count
        guard count != before else { return }
        blockedCount.store(count, ordering: .relaxed)
        if before == 0 {
            logger.warning(
                """
                some devices or owners can't be written while others can, as when an open \
                transaction has locked their rows; their batches go to the spool
                """, metadata: ["count": "\(count)"])
        } else if count == 0 {
            logger.info("all devices and owners are written again")
        }
    }
}
