/// The order of a reading's fields and the space between them.
public struct Layout: Sendable {
    /// The order of the fields.
    public enum Order: Sendable {
        /// As in the API's sample request: `t`, `type`, then the values.
        case canonical
        /// Another order, the same for every reading of a kind.
        case fixed
        /// A new order for each reading.
        case random(UInt64)
    }

    /// The order of the fields.
    public var order: Order
    /// One line per field, as `JSONEncoder` writes with `prettyPrinted`.
    public var isIndented = false
    /// Bits that choose numbers as strings, unknown keys and escaped keys.
    public var oddities: UInt64 = 0
    /// Uses any of the accepted time forms, chosen by the reading's own bits.
    public var hasAnyTimeForm = false

    /// A layout without oddities.
    public init(order: Order, isIndented: Bool = false) {
        self.order = order
        self.isIndented = isIndented
    }

    /// A layout chosen by `bits`, possibly with oddities.
    init(bits: UInt64) {
        order = bits & 3 == 0 ? .random(mixed(bits)) : (bits & 3 == 1 ? .fixed : .canonical)
        isIndented = bits & 0x1C == 0
        oddities = (bits >> 8) & 0xFFFF_FFFF
        hasAnyTimeForm = true
    }
}
