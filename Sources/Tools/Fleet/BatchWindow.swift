/// The content of one request: consecutive readings of one device.
public struct BatchWindow: Hashable, Sendable {
    /// The device's number.
    public var device: Int
    /// Sequence numbers of the readings.
    public var range: Range<Int>
    /// Newest first, as in the API's sample request.
    public var isBackwards: Bool
    /// The fault of the whole batch; nil: none.
    public var fault: BatchFault?

    /// Oldest first and without a fault, unless told otherwise.
    public init(
        device: Int, range: Range<Int>, isBackwards: Bool = false, fault: BatchFault? = nil
    ) {
        self.device = device
        self.range = range
        self.isBackwards = isBackwards
        self.fault = fault
    }

    /// The sequence number of the reading at `index` in `data`.
    public func sequence(at index: Int) -> Int {
        isBackwards ? range.upperBound - 1 - index : range.lowerBound + index
    }
}
