/// The device batches of a batch. Mostly there is only one, which needs no array.
public struct DeviceBatchList: RandomAccessCollection, Sendable {
    private let head: DeviceBatch
    private let others: [DeviceBatch]

    init(first: DeviceBatch, others: [DeviceBatch]) {
        head = first
        self.others = others
    }

    /// Always 0: the envelope's device, where there is an envelope.
    public var startIndex: Int { 0 }
    /// The number of other devices plus one.
    public var endIndex: Int { 1 + others.count }

    /// The device batch of the envelope's device at 0, then those of other devices.
    public subscript(position: Int) -> DeviceBatch {
        position == 0 ? head : others[position - 1]
    }
}
