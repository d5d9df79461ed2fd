/// The rows of one kind of one device in one batch, with what the watermark needs to know of their
/// times, so that a batch in order needs no look at single rows.
///
/// In the order of the batch, but for one case: readings that name the envelope's own device before
/// the envelope does stand behind those that name none.
public struct KindRows: ~Copyable {
    /// The rows, ready for COPY.
    public internal(set) var tuples: TupleBuffer
    /// How many tuples there are.
    public private(set) var count = 0
    /// The earliest time, microseconds since 2000; `Int64.max` when there is no row.
    public private(set) var first = Int64.max
    /// The latest time; `Int64.min` when there is no row.
    public private(set) var last = Int64.min
    /// Each time is later than the one before it: no two of these rows can be the same reading.
    public private(set) var strictlyRising = true

    init(firstCapacity: Int = 0) {
        tuples = TupleBuffer(firstCapacity: firstCapacity)
    }

    /// A copy, with its tuples in memory of the slab.
    init(copying other: borrowing KindRows, to slab: inout TupleSlab) {
        tuples = TupleBuffer(copying: other.tuples, to: &slab)
        count = other.count
        first = other.first
        last = other.last
        strictlyRising = other.strictlyRising
    }

    /// Starts anew; the next allocation is as large as these rows were, for the batches of a fleet
    /// are alike, but no larger than the body that is expected.
    mutating func removeAll(expectedBytes: Int) {
        let hint = max(tuples.count, tuples.firstCapacity)
        tuples.removeAll(keepingBytes: TupleSlab.bytesMax)
        tuples.firstCapacity = min(hint, expectedBytes, Self.firstCapacityMax)
        count = 0
        first = .max
        last = .min
        strictlyRising = true
    }

    private static let firstCapacityMax = 1024 * 1024

    /// The rows; what stays is empty and remembers their size.
    mutating func take() -> KindRows {
        let taken = self
        self = KindRows(firstCapacity: taken.tuples.count + taken.tuples.count / 16)
        return taken
    }

    /// Adds the rows of the same device and kind behind these.
    mutating func append(_ other: borrowing KindRows) {
        guard other.count > 0 else { return }
        tuples.append(other.tuples.bytes)
        strictlyRising = strictlyRising && other.strictlyRising && other.first > last
        count += other.count
        first = min(first, other.first)
        last = max(last, other.last)
    }

    /// To be called once for each tuple appended.
    @inline(always)
    mutating func note(time: Int64) {
        count &+= 1
        strictlyRising = strictlyRising && time > last
        first = min(first, time)
        last = max(last, time)
    }
}

/// What is known of a parcel's rows of one kind without looking at them.
public struct RowSummary: Sendable {
    /// How many there are.
    public let count: Int
    /// The earliest time, microseconds since 2000; `Int64.max` when there is none.
    public let first: Int64
    /// The latest time; `Int64.min` when there is none.
    public let last: Int64
    /// Each is later than the one before it.
    public let strictlyRising: Bool
}

extension KindRows {
    var summary: RowSummary {
        RowSummary(count: count, first: first, last: last, strictlyRising: strictlyRising)
    }
}
