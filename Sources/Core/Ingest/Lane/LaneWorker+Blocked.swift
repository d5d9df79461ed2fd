import Logging
import Synchronization

/// Keeps senders that can't be written at the moment from delaying others.
extension LaneWorker {
    /// Takes what must not delay others out of ``group``.
    ///
    /// - Returns: what has to wait longer, and what is to be tried, a sender at a time.
    func takeBlocked() -> (waiting: PendingGroup, due: [PendingGroup]) {
        guard !blocked.isEmpty, health.isUp else { return (PendingGroup(), []) }
        let now = outside.now
        var free = PendingGroup()
        var waiting = PendingGroup()
        var due: [PendingGroup] = []
        var places: [Sender: Int] = [:]
        func sort<Payload>(_ list: WritableKeyPath<PendingGroup, [Pending<Payload>]>) {
            for pending in group[keyPath: list] {
                let sender = pending.payload.sender
                switch blocked.standing(of: sender, now: now) {
                case .free: free[keyPath: list].append(pending)
                case .waiting:
                    blocked.touch(sender, now: now)
                    waiting[keyPath: list].append(pending)
                case .alone, .due:
                    if places[sender] == nil {
                        places[sender] = due.count
                        due.append(PendingGroup())
                    }
                    if let place = places[sender] { due[place][keyPath: list].append(pending) }
                }
            }
        }
        sort(\.deviceBatches)
        sort(\.units)
        group = free
        return (waiting, due)
    }

    /// Senders of a group that are not tried yet; an earlier group of this turn may have found
    /// them.
    func waiting(of group: Group) -> Set<Sender> {
        guard !blocked.isEmpty else { return [] }
        let now = outside.now
        return group.senders
            .filter { blocked.standing(of: $0, now: now) == .waiting }
    }

    /// Tries senders one by one, until such a trial has taken its share of the lane's time.
    ///
    /// - Returns: what was not tried.
    func tryAlone(_ due: [PendingGroup], _ settle: (PendingGroup) -> Void) -> PendingGroup {
        var left = PendingGroup()
        for pendings in due {
            guard let sender = pendings.firstSender else { continue }
            for group in groups(of: pendings) {
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
    func note(_ settlement: GroupSettlement, of group: Group, _ outcomes: GroupSettlement.Outcomes)
    {
        let isNothing = settlement.blocked.isEmpty && settlement.writtenInPieces.isEmpty
        guard !blocked.isEmpty || !isNothing else { return }
        let now = outside.now
        let before = blocked.count
        for (deviceBatch, outcome) in zip(group.deviceBatches, outcomes.deviceBatches)
        where outcome.isCommitted {
            blocked.free(deviceBatch.sender)
        }
        for (unit, outcome) in zip(group.units, outcomes.units) where outcome.isCommitted {
            blocked.free(unit.sender)
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
