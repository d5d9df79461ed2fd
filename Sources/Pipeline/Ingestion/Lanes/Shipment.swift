package import Readings
package import Scanning

/// A parcel or a unit on its way through lanes and spool, with its receipt.
package struct Shipment: Sendable {
    package enum Load: Sendable {
        case parcel(ReceivedParcel)
        case unit(ReceivedUnit)
    }

    let load: Load
    /// nil: nobody waits for it any more.
    var receipt: Receipt?
    let offeredAt: ContinuousClock.Instant
    /// Days of a parcel that left the tables; their rows are quarantined when it is written. In the
    /// spool they stay rows, because the days may be back by then.
    var daysLeft: Set<ReadingDay> = []
    /// Its COMMIT was sent and not answered: it may be committed.
    var isInDoubt = false

    /// The same without a receipt.
    var silent: Shipment {
        var shipment = self
        shipment.receipt = nil
        return shipment
    }

    /// When it was received.
    var receivedAt: Timestamp {
        switch load {
        case .parcel(let parcel): parcel.receivedAt
        case .unit(let unit): unit.receivedAt
        }
    }

    var isUnit: Bool {
        if case .unit = load { true } else { false }
    }

    /// Whether the spool takes it if the database does not.
    var mayWaitInSpool: Bool {
        if case .unit(let unit) = load { isInDoubt || unit.unit.kind.mayWaitInSpool } else { true }
    }

    /// Memory it holds while it waits.
    var memory: Int {
        switch load {
        case .parcel(let received): received.parcel.memory
        case .unit(let unit): unit.unit.memory
        }
    }

    /// The device or owner whose share of the lane it uses, as a hash.
    var flow: UInt64 {
        switch load {
        case .parcel(let received): UInt64(bitPattern: received.parcel.key.value)
        case .unit(let unit): unit.unit.route
        }
    }

    /// The number of readings, including quarantined ones; 1 for a unit.
    var count: Int {
        switch load {
        case .parcel(let received): received.count
        case .unit: 1
        }
    }
}

extension [Shipment] {
    /// Moves all parcels before all units; each sort keeps its order.
    mutating func partUnits() {
        guard contains(where: \.isUnit) else { return }
        self = filter { !$0.isUnit } + filter(\.isUnit)
    }
}

/// A parcel as it was received.
package struct ReceivedParcel: Sendable {
    package let parcel: Parcel
    /// The name of its API key, kept with quarantined readings.
    package let keyName: String
    /// When it was received, which may be long ago if it waited in the spool.
    package let receivedAt: Timestamp

    /// The number of readings, including quarantined ones.
    package var count: Int { parcel.rowCount + parcel.quarantined.count }

    /// The same with another parcel, such as a part of this one.
    func with(_ parcel: Parcel) -> ReceivedParcel {
        ReceivedParcel(parcel: parcel, keyName: keyName, receivedAt: receivedAt)
    }
}

/// A unit as it was received.
package final class ReceivedUnit: Sendable {
    package let unit: WorkUnit
    /// When it was received, which may be long ago if it was spooled. Rises strictly among the live
    /// units of a process.
    package let receivedAt: Timestamp
    /// It comes from the spool: its sender was told that it is safe, so it can't be refused any
    /// more, only moved to `sluice.unit_set_aside`.
    package let isReplayed: Bool
    /// It comes from the spool, or its COMMIT was sent before and not answered: another version may
    /// have been acknowledged since.
    package let isLate: Bool
    /// The reason to reject it; nil: it is recorded.
    package let refusal: UnitRefusal?

    init(
        _ unit: WorkUnit, receivedAt: Timestamp, isReplayed: Bool = false, isLate: Bool = false,
        refusal: UnitRefusal? = nil
    ) {
        self.unit = unit
        self.receivedAt = receivedAt
        self.isReplayed = isReplayed
        self.isLate = isReplayed || isLate
        self.refusal = refusal
    }

    func refused(_ refusal: UnitRefusal) -> ReceivedUnit {
        ReceivedUnit(
            unit, receivedAt: receivedAt, isReplayed: isReplayed, isLate: isLate, refusal: refusal)
    }

    /// The same when it may have been committed already.
    func late() -> ReceivedUnit {
        ReceivedUnit(
            unit, receivedAt: receivedAt, isReplayed: isReplayed, isLate: true, refusal: refusal)
    }
}

/// Why a unit from the spool was rejected.
package struct UnitRefusal: Sendable {
    package enum Reason: String, Sendable {
        case refusedByDatabase = "refused_by_database"
    }

    package let reason: Reason
    /// nil: the error had none.
    package var sqlState: String?
}

/// The answers of one group, collected for one call to each event loop.
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
