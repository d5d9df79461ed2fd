public import Readings

/// One device's part of a batch: its rows, ready for COPY, and what was set aside.
///
/// This is what a lane takes: all rows of a device go through one lane. Immutable once the scanner
/// has handed it out, which is why it may cross from the event loop to the lane's queue.
public final class Parcel: @unchecked Sendable {
    // Guard of `@unchecked`: only `BatchScanner` writes, and only before it returns the parcel.

    private let sender: Sender
    /// Where the rows of a small batch are; a large one's have memory of their own.
    private let slab: TupleSlab

    /// Lower-cased.
    public var deviceID: String { sender.deviceID }
    /// Stands in every tuple; decides the lane.
    public var key: DeviceKey { sender.key }
    /// What the envelope says of the device; nil in parcels of overriding readings.
    public var attributes: DeviceAttributes? { sender.attributes }

    // Each check that nobody else uses them meanwhile costs a small batch a fifth of a reading.
    @exclusivity(unchecked) var rows: ByKind<KindRows>
    /// Readings of this batch that were set aside, in order; all in the envelope's parcel.
    public internal(set) var quarantined: [QuarantinedReading] = []

    init(
        sender: Sender, rows: consuming ByKind<KindRows> = ByKind<KindRows> { _ in KindRows() }
    ) {
        self.sender = sender
        slab = TupleSlab()
        self.rows = rows
    }

    /// The rows are copied, all into one piece of memory.
    init(sender: Sender, copying rows: borrowing ByKind<KindRows>) {
        self.sender = sender
        var slab = TupleSlab(byteCount: rows.tupleBytes)
        self.rows = ByKind<KindRows> { KindRows(copying: rows[$0], to: &slab) }
        self.slab = slab
    }

    /// The same device without rows, and without attributes unless it keeps them.
    func emptied(keepingAttributes: Bool) -> Parcel {
        Parcel(
            sender: keepingAttributes ? sender : Sender(deviceID: deviceID, key: key))
    }

    /// Adds the rows of another parcel of the same device.
    func append(_ other: Parcel) {
        precondition(other.key == key, "BUG: parcels of two devices")
        for kind in ReadingKind.allCases { rows[kind].append(other.rows[kind]) }
    }

    /// Rows of all kinds, without what was set aside.
    public var rowCount: Int {
        var count = 0
        for kind in ReadingKind.allCases { count += rows[kind].count }
        return count
    }

    /// Bytes of tuples of all kinds and of the bodies set aside.
    public var byteCount: Int {
        rows.tupleBytes + quarantined.reduce(0) { $0 + $1.body.count }
    }

    /// Memory it holds, for the budgets; more than ``byteCount``.
    public var memory: Int {
        var memory = 256 + quarantined.reduce(0) { $0 + $1.body.count + 64 }
        for kind in ReadingKind.allCases { memory += rows[kind].tuples.byteCapacity }
        return memory
    }

    /// How many rows of `kind` there are and when; costs next to nothing, unlike a closure.
    public func summary(of kind: ReadingKind) -> RowSummary { rows[kind].summary }

    /// Calls `body` with the rows of `kind`.
    public func withRows<Result>(
        of kind: ReadingKind, _ body: (borrowing KindRows) throws -> Result
    ) rethrows -> Result {
        try body(rows[kind])
    }

    /// A copy of the tuples of `kind`, for tests and tools.
    public func tuples(of kind: ReadingKind) -> [UInt8] {
        withRows(of: kind) { [UInt8]($0.tuples.bytes) }
    }
}

/// What the envelope says of its device.
public struct DeviceAttributes: Hashable, Sendable {
    /// nil means the device id.
    public let userID: String?
    /// nil where the batch did not say: what is known then stays.
    public let modelName: String?
    /// Of the device's software; nil as for ``modelName``.
    public let version: String?

    /// As the envelope has them, unchecked.
    public init(userID: String?, modelName: String?, version: String?) {
        self.userID = userID
        self.modelName = modelName
        self.version = version
    }
}

/// A reading that is kept aside with its original bytes.
public struct QuarantinedReading: Equatable, Sendable {
    /// Place in the batch's `data`, from 0; or ``indexUnknown``.
    public let index: Int
    /// The first rule it broke.
    public let reason: QuarantineReason
    /// From `{` to `}` as sent; the first `readingBytesMax` bytes if it was too large.
    public let body: [UInt8]

    /// Of a reading that was set aside only by the database, when places are forgotten.
    public static let indexUnknown = -1

    /// Nothing is checked; the scanner knows the limits.
    public init(index: Int, reason: QuarantineReason, body: [UInt8]) {
        self.index = index
        self.reason = reason
        self.body = body
    }
}

/// For rows that PostgreSQL refuses: halves of a parcel, down to single rows, and setting rows aside.
extension Parcel {
    /// Two parcels with half of the rows each, the first with the attributes and everything that was
    /// set aside; nil when there are fewer than two rows.
    ///
    /// - Complexity: O(bytes), they are copied.
    public func halves() -> (Parcel, Parcel)? {
        guard rowCount >= 2 else { return nil }
        let first = emptied(keepingAttributes: true)
        first.quarantined = quarantined
        let second = emptied(keepingAttributes: false)
        var left = rowCount / 2
        func share(_ rows: borrowing KindRows, _ first: inout KindRows, _ second: inout KindRows) {
            let bytes = rows.tuples.bytes
            var start = 0
            while start < bytes.count {
                let end = TupleBuffer.tupleEnd(in: bytes, at: start)
                let time = TupleBuffer.time(in: bytes, at: start)
                let tuple = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                if left > 0 {
                    first.append(tuple: tuple, time: time)
                    left -= 1
                } else {
                    second.append(tuple: tuple, time: time)
                }
                start = end
            }
        }
        for kind in ReadingKind.allCases {
            share(rows[kind], &first.rows[kind], &second.rows[kind])
        }
        return (first, second)
    }

    /// The same parcel with all its rows set aside for `reason`, as JSON made from the rows; what
    /// was set aside before stays.
    public func settingAsideAll(_ reason: QuarantineReason) -> Parcel {
        settingAside(reason) { _, _ in true }
    }

    /// The same with some rows set aside: those whose kind and time, in microseconds since 2000,
    /// `isAside` picks.
    public func settingAside(
        _ reason: QuarantineReason, where isAside: (ReadingKind, Int64) -> Bool
    ) -> Parcel {
        let parcel = emptied(keepingAttributes: true)
        parcel.quarantined = quarantined
        func sort(_ kind: ReadingKind, _ rows: borrowing KindRows, _ kept: inout KindRows) {
            let bytes = rows.tuples.bytes
            var start = 0
            while start < bytes.count {
                let end = TupleBuffer.tupleEnd(in: bytes, at: start)
                let time = TupleBuffer.time(in: bytes, at: start)
                if isAside(kind, time) {
                    parcel.quarantined.append(
                        QuarantinedReading(
                            index: QuarantinedReading.indexUnknown, reason: reason,
                            body: ReadingText.json(kind, bytes, at: start)))
                } else {
                    kept.append(
                        tuple: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), time: time)
                }
                start = end
            }
        }
        for kind in ReadingKind.allCases { sort(kind, rows[kind], &parcel.rows[kind]) }
        return parcel
    }
}

extension ByKind<KindRows> {
    /// Bytes of tuples of all kinds.
    var tupleBytes: Int {
        var bytes = 0
        for kind in ReadingKind.allCases { bytes += self[kind].tuples.count }
        return bytes
    }
}

extension KindRows {
    fileprivate mutating func append(tuple: UnsafeRawBufferPointer, time: Int64) {
        note(time: time)
        tuples.append(tuple)
    }
}

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
