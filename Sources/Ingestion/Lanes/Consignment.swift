import Readings
import Scanning

/// One parcel on its way through a lane, with whom to tell.
struct Consignment: Sendable {
    let parcel: Parcel
    /// Name of the key it came with; stands in the quarantine.
    let keyName: String
    /// When the batch came in.
    let receivedAt: Timestamp
    let receipt: Receipt
    let offeredAt: ContinuousClock.Instant

    var entry: GroupEntry {
        GroupEntry(parcel: parcel, keyName: keyName, receivedAt: receivedAt)
    }
}
