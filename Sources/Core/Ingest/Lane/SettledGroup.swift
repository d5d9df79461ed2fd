import Instruments

/// Device batches and units with what became of them.
struct SettledGroup: Sendable {
    /// A device batch or unit with what became of it.
    struct Member<Payload: LanePayload>: Sendable {
        var pending: Pending<Payload>
        let outcome: Outcome<Payload.Committed>
    }

    var deviceBatches: [Member<ReceivedDeviceBatch>] = []
    var units: [Member<ReceivedUnit>] = []

    init() {}

    init(_ group: PendingGroup, _ outcomes: GroupSettlement.Outcomes) {
        deviceBatches = zip(group.deviceBatches, outcomes.deviceBatches).map {
            Member(pending: $0, outcome: $1)
        }
        units = zip(group.units, outcomes.units).map { Member(pending: $0, outcome: $1) }
    }

    /// All of them are on disk.
    init(spooled group: PendingGroup) {
        deviceBatches = group.deviceBatches.map { Member(pending: $0, outcome: .spooled) }
        units = group.units.map { Member(pending: $0, outcome: .spooled) }
    }

    /// Nobody has taken them.
    init(unavailable group: PendingGroup, retryAfter: Duration = .seconds(1)) {
        deviceBatches = group.deviceBatches.map {
            Member(pending: $0, outcome: .unavailable(retryAfter: retryAfter))
        }
        units = group.units.map {
            Member(pending: $0, outcome: .unavailable(retryAfter: retryAfter))
        }
    }

    var isEmpty: Bool { deviceBatches.isEmpty && units.isEmpty }

    /// It comes from the spool. Nothing that does is in a group with what does not.
    var isReplayed: Bool {
        deviceBatches.first?.pending.payload.isReplayed ?? units.first?.pending.payload.isReplayed
            ?? false
    }

    var pendings: PendingGroup {
        PendingGroup(deviceBatches: deviceBatches.map(\.pending), units: units.map(\.pending))
    }

    /// What of it is committed, or the rest.
    func committed(_ isCommitted: Bool) -> SettledGroup {
        var group = SettledGroup()
        group.deviceBatches = deviceBatches.filter { $0.outcome.isCommitted == isCommitted }
        group.units = units.filter { $0.outcome.isCommitted == isCommitted }
        return group
    }

    /// The same without receipts.
    var silent: SettledGroup {
        var group = self
        for place in deviceBatches.indices { group.deviceBatches[place].pending.receipt = nil }
        for place in units.indices { group.units[place].pending.receipt = nil }
        return group
    }

    static func += (sum: inout SettledGroup, other: SettledGroup) {
        sum.deviceBatches += other.deviceBatches
        sum.units += other.units
    }

    /// Answers all batches and units that are now complete, with one call for each event loop.
    func answer() {
        var answers = Answers()
        for batch in deviceBatches { answers.settle(batch.pending.receipt, batch.outcome) }
        for unit in units { answers.settle(unit.pending.receipt, unit.outcome) }
        answers.send()
    }
}

/// The answers of one group, collected for one call to each event loop.
private struct Answers {
    private var batches: [(target: BatchTarget, list: [BatchOutcome.Acknowledgement])] = []
    private var units: [(target: UnitTarget, list: [UnitOutcome.Acknowledgement])] = []

    /// Notes the outcome of one part of a batch.
    mutating func settle(_ receipt: Receipt?, _ outcome: BatchOutcome) {
        guard let receipt, let acknowledgement = receipt.settle(outcome) else { return }
        if let index = batches.firstIndex(where: { $0.target === receipt.target }) {
            batches[index].list.append(acknowledgement)
        } else {
            batches.append((receipt.target, [acknowledgement]))
        }
    }

    /// Notes the outcome of a unit.
    mutating func settle(_ waiter: ReceivedUnit.Waiter?, _ outcome: Outcome<ReceivedUnit.Result>) {
        switch waiter {
        case .sender(let ticket, let target, let ledger):
            let acknowledgement = UnitOutcome.Acknowledgement(
                ticket: ticket, outcome: outcome.ofSender)
            ledger.enter { $0.settle(acknowledgement.outcome) }
            if let index = units.firstIndex(where: { $0.target === target }) {
                units[index].list.append(acknowledgement)
            } else {
                units.append((target, [acknowledgement]))
            }
        case .record(let receipt): settle(receipt, outcome.ofRecord)
        case nil: break
        }
    }

    func send() {
        for (target, list) in batches { target.deliver(list) }
        for (target, list) in units { target.deliver(list) }
    }
}
