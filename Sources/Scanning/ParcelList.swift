/// The parcels of a batch: mostly just one, which then needs no array of its own.
public struct ParcelList: RandomAccessCollection, Sendable {
    private let head: Parcel
    private let others: [Parcel]

    init(first: Parcel, others: [Parcel]) {
        head = first
        self.others = others
    }

    /// Always 0: the envelope's device.
    public var startIndex: Int { 0 }
    /// One more than there are overriding devices.
    public var endIndex: Int { 1 + others.count }

    /// The envelope's device's at 0, then those of overriding devices.
    public subscript(position: Int) -> Parcel {
        position == 0 ? head : others[position - 1]
    }
}
