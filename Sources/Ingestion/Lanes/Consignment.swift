import Readings
import Scanning

/// One parcel or unit on its way through a lane, with whom to tell.
struct Consignment: Sendable {
    enum Load: Sendable {
        /// `keyName` stands in the quarantine.
        case parcel(Parcel, keyName: String)
        case unit(GroupUnit)
    }

    let load: Load
    /// When it came in.
    let receivedAt: Timestamp
    let receipt: Receipt
    let offeredAt: ContinuousClock.Instant
    /// Days of a parcel that left the tables: its rows of them are quarantined when it is written. In
    /// the spool they stay rows, for the days may be back by then.
    var daysLeft: Set<ReadingDay> = []

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
}

extension [Consignment] {
    /// Puts all parcels in front of all units; their orders stay.
    mutating func partUnits() {
        guard contains(where: \.isUnit) else { return }
        self = filter { !$0.isUnit } + filter(\.isUnit)
    }
}
