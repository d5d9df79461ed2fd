/// Whose batches or units share a fate: a device, whoever its users are, because each needs the
/// rows of all; or an owner with one kind of units.
struct Sender: Hashable {
    /// The device or owner whose share of the lane is used, as a hash.
    let flow: UInt64
    /// The kind of units; nil: readings.
    let unitKind: String?
}
