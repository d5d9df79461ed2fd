package import Readings
package import Scanning

/// A parcel or a unit on its way through lanes and spool, with whom to tell.
package struct Shipment: Sendable {
    package enum Load: Sendable {
        case parcel(ReceivedParcel)
        case unit(ReceivedUnit)
    }

    let load: Load
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

    /// When it came in.
    var receivedAt: Timestamp {
        switch load {
        case .parcel(let parcel): parcel.receivedAt
        case .unit(let unit): unit.receivedAt
        }
    }

    var isUnit: Bool {
        if case .unit = load { true } else { false }
    }

    /// Memory it holds while it waits.
    var memory: Int {
        switch load {
        case .parcel(let received): received.parcel.memory
        case .unit(let unit): unit.unit.memory
        }
    }

    /// Whose share of the lane it takes of.
    var flow: UInt64 {
        switch load {
        case .parcel(let received): UInt64(bitPattern: received.parcel.key.value)
        case .unit(let unit): unit.unit.route
        }
    }

    /// Readings, those set aside among them; or the one unit.
    var count: Int {
        switch load {
        case .parcel(let received): received.count
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

/// A parcel as it came in.
package struct ReceivedParcel: Sendable {
    package let parcel: Parcel
    /// The name of its API key, kept with quarantined readings.
    package let keyName: String
    /// When it came in, which may be long ago if it waited in the spool.
    package let receivedAt: Timestamp

    /// Readings, those set aside among them.
    package var count: Int { parcel.rowCount + parcel.quarantined.count }

    /// The same with another part of the parcel in its place.
    func with(_ parcel: Parcel) -> ReceivedParcel {
        ReceivedParcel(parcel: parcel, keyName: keyName, receivedAt: receivedAt)
    }
}

/// A unit as it came in.
package final class ReceivedUnit: Sendable {
    package let unit: WorkUnit
    /// When it came in, which may be long ago if it was spooled; no other live unit of the process has
    /// this time, and units that came later have later ones.
    package let receivedAt: Timestamp
    /// It comes from the spool: whoever sent it has been told that it is safe, so it can't be
    /// refused any more, only set aside.
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

/// Why a unit from the spool was set aside.
package struct UnitRefusal: Sendable {
    package enum Reason: String, Sendable {
        case refusedByDatabase = "refused_by_database"
    }

    package let reason: Reason
    /// nil: the database was not asked.
    package var sqlState: String?
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
