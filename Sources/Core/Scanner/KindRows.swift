import Readings

extension KindRows {
    /// Appends tuples of a record, which a version with fewer columns may have written.
    ///
    /// - Returns: false when these are not whole tuples of `kind`.
    mutating func append(checking bytes: UnsafeRawBufferPointer, of kind: ReadingKind) -> Bool {
        let columns = kind.schema.columns.count
        let needed = 2 + (kind.schema.fieldColumns.lastIndex { !$0.isOptional } ?? -1) + 1
        var start = 0
        while start < bytes.count {
            guard let end = TupleBuffer.checkedTupleEnd(in: bytes, at: start) else { return false }
            let tuple = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            let fields = Int(UInt16(bigEndian: tuple.loadUnaligned(as: UInt16.self)))
            guard (needed...columns).contains(fields) else { return false }
            note(time: TupleBuffer.time(in: bytes, at: start))
            tuples.append(tuple, widenedTo: UInt16(columns))
            start = end
        }
        return true
    }
}

extension TupleBuffer {
    /// ``tupleEnd(in:at:)`` for bytes that may not be a tuple.
    static func checkedTupleEnd(
        in bytes: UnsafeRawBufferPointer, at start: Int
    ) -> Int? {
        guard bytes.count - start >= timeOffset + 8 else { return nil }
        let fields = bytes.loadUnaligned(fromByteOffset: start, as: UInt16.self).bigEndian
        var position = start + 2
        for _ in 0..<fields {
            guard bytes.count - position >= 4 else { return nil }
            let length = Int32(
                bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: Int32.self))
            position += 4
            if length < 0 { continue }
            guard bytes.count - position >= length else { return nil }
            position += Int(length)
        }
        return position - start >= timeOffset + 8 ? position : nil
    }
}

/// The rows of one kind of one device in one batch, and the facts about their times that the
/// watermark needs, so that it need not read single rows of a batch in order.
///
/// The rows are in the batch's order, with one exception: readings that name the envelope's device
/// before the envelope was read follow those that name no device.
public struct KindRows: ~Copyable {
    /// The rows, ready for COPY.
    public internal(set) var tuples: TupleBuffer
    /// How many tuples there are.
    public private(set) var count = 0
    /// The earliest time, microseconds since 2000; `Int64.max` when there is no row.
    public private(set) var first = Int64.max
    /// The latest time; `Int64.min` when there is no row.
    public private(set) var last = Int64.min
    /// Each time is later than the previous one: no two of these rows can be the same reading.
    public private(set) var strictlyRising = true

    init(firstCapacity: Int = 0) {
        tuples = TupleBuffer(firstCapacity: firstCapacity)
    }

    /// A copy with its tuples in the slab's memory.
    init(copying other: borrowing KindRows, to slab: inout TupleSlab) {
        tuples = TupleBuffer(copying: other.tuples, to: &slab)
        count = other.count
        first = other.first
        last = other.last
        strictlyRising = other.strictlyRising
    }

    /// Empties the rows. The next allocation is as large as these rows were, because the batches of
    /// a fleet are alike, but no larger than the expected body.
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

    /// Takes the rows; the remainder is empty and remembers their size.
    mutating func take() -> KindRows {
        let taken = self
        self = KindRows(firstCapacity: taken.tuples.count + taken.tuples.count / 16)
        return taken
    }

    /// Appends rows of the same device and kind.
    mutating func append(_ other: borrowing KindRows) {
        guard other.count > 0 else { return }
        tuples.append(other.tuples.bytes)
        strictlyRising = strictlyRising && other.strictlyRising && other.first > last
        count += other.count
        first = min(first, other.first)
        last = max(last, other.last)
    }

    /// Must be called once for each appended tuple.
    @inline(always)
    mutating func note(time: Int64) {
        count &+= 1
        strictlyRising = strictlyRising && time > last
        first = min(first, time)
        last = max(last, time)
    }
}

extension KindRows {
    var summary: RowSummary {
        RowSummary(count: count, first: first, last: last, strictlyRising: strictlyRising)
    }
}
