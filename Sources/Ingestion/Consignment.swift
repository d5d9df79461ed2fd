import Access
import Scanning

/// One parcel on its way through a lane, with whom to tell.
struct Consignment: Sendable {
    let parcel: Parcel
    /// Name of the key it came with; stands in the quarantine.
    let keyName: String
    let receipt: Receipt
    let offeredAt: ContinuousClock.Instant
}
