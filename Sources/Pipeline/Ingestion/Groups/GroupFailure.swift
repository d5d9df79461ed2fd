import Postgres
import Readings
import Scanning

/// Why a group was not committed, and whom that concerns.
struct GroupFailure: Error {
    let error: PostgresError
    /// Others can be written at this moment, so something of the group is the cause: it is found by
    /// splitting.
    var isOfMembers = false
    /// Of the cause, the devices that are known by name.
    var devices: Set<Int64> = []
    /// An earlier COMMIT of the group was not answered: it may be committed.
    var isInDoubt = false

    init(_ error: PostgresError) { self.error = error }
}

/// Whose batches or units share a fate: a device, or an owner with one kind of units.
struct Sender: Hashable {
    /// See ``Shipment/flow``.
    let flow: UInt64
    /// The kind of units; nil: readings.
    let unitKind: String?

    init(_ parcel: ReceivedParcel) {
        flow = UInt64(bitPattern: parcel.parcel.key.value)
        unitKind = nil
    }

    init(_ unit: ReceivedUnit) {
        flow = unit.unit.route
        unitKind = unit.unit.kind.name
    }

    init(_ shipment: Shipment) {
        switch shipment.load {
        case .parcel(let parcel): self.init(parcel)
        case .unit(let unit): self.init(unit)
        }
    }
}
