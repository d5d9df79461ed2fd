import Readings
import Scanning

/// What is written to the spool for one offer: a whole batch, the part of one that a lane could not
/// commit, or a unit.
struct SpoolItem: Sendable {
    enum Load: Sendable {
        /// Of one batch; `keyName` stands in the quarantine.
        case parcels([Parcel], keyName: String)
        case unit(GroupUnit)
    }

    let load: Load
    let receivedAt: Timestamp
    /// Settled once for the whole item.
    let receipt: Receipt

    var isUnit: Bool {
        if case .unit = load { true } else { false }
    }

    var memory: Int {
        switch load {
        case .parcels(let parcels, _): parcels.reduce(64) { $0 + $1.memory }
        case .unit(let unit): unit.unit.memory
        }
    }

    /// Readings, those set aside among them; or the one unit.
    var count: Int {
        switch load {
        case .parcels(let parcels, _):
            parcels.reduce(0) { $0 + $1.rowCount + $1.quarantined.count }
        case .unit: 1
        }
    }
}
