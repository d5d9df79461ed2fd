import Readings
import Scanning

/// What is written to the spool for one offer: a whole batch, or the part of one that a lane could
/// not commit.
struct SpoolItem: Sendable {
    let parcels: [Parcel]
    let keyName: String
    let receivedAt: Timestamp
    /// Settled once for the whole item.
    let receipt: Receipt

    var memory: Int { parcels.reduce(64) { $0 + $1.memory } }

    /// Readings, those set aside among them.
    var readings: Int { parcels.reduce(0) { $0 + $1.rowCount + $1.quarantined.count } }
}
