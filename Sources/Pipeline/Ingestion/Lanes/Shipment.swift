import Readings
package import Scanning

/// A parcel or a unit on its way through lanes and spool, with whom to tell.
package struct Shipment: Sendable {
    package enum Load: Sendable {
        /// `keyName` is written to quarantine with readings that are refused.
        case parcel(Parcel, keyName: String)
        case unit(GroupUnit)
    }

    let load: Load
    /// When it came in.
    let receivedAt: Timestamp
    /// nil: nobody waits for it any more.
    var receipt: Receipt?
    let offeredAt: ContinuousClock.Instant
    /// Days of a parcel that left the tables: its rows of them are quarantined when it is written. In
    /// the spool they stay rows, for the days may be back by then.
    var daysLeft: Set<ReadingDay> = []

    /// The same without anybody who waits for it.
    var silent: Shipment {
        var shipment = self
        shipment.receipt = nil
        return shipment
    }

    var isUnit: Bool {
        if case .unit = load { true } else { false }
    }

    /// Memory it holds while it waits.
    var memory: Int {
        switch load {
        case .parcel(let parcel, _): parcel.memory
        case .unit(let unit): unit.unit.memory
        }
    }

    /// Whose share of the lane it takes of.
    var flow: UInt64 {
        switch load {
        case .parcel(let parcel, _): UInt64(bitPattern: parcel.key.value)
        case .unit(let unit): unit.unit.route
        }
    }

    /// Readings, those set aside among them; or the one unit.
    var count: Int {
        switch load {
        case .parcel(let parcel, _): parcel.rowCount + parcel.quarantined.count
        case .unit: 1
        }
    }
}

extension [Shipment] {
    /// Puts all parcels in front of all units; their orders stay.
    mutating func partUnits() {
        guard contains(where: \.isUnit) else { return }
        self = filter { !$0.isUnit } + filter(\.isUnit)
    }
}

/// The answers of one group, gathered by event loop: one call for each.
struct Deliveries {
    private var lists: [(target: any AcknowledgementTarget, list: [Acknowledgement])] = []

    /// Notes the outcome of one part of a batch.
    mutating func settle(_ receipt: Receipt?, _ outcome: CommitOutcome) {
        guard let receipt, let acknowledgement = receipt.settle(outcome) else { return }
        if let index = lists.firstIndex(where: { $0.target === receipt.target }) {
            lists[index].list.append(acknowledgement)
        } else {
            lists.append((receipt.target, [acknowledgement]))
        }
    }

    func send() {
        for (target, list) in lists { target.deliver(list) }
    }
}
