package import Readings

/// A parcel as bytes, for the spool.
///
/// Device id, key and its check, attributes, how many kinds there are tuples of, each kind's name
/// with its tuples, then what was set aside. Counts and times are not written: they are found again
/// in the tuples, which are checked on the way.
extension Parcel {
    /// Appends the parcel; everything it holds comes back with ``init(from:)``.
    package func write(to record: inout RecordWriter) {
        record.write(deviceID)
        record.write(key.value)
        record.write(key.check)
        record.write(attributes == nil ? 0 as UInt8 : 1)
        if let attributes {
            record.write(attributes.userID)
            record.write(attributes.modelName)
            record.write(attributes.version)
        }
        let kinds = ReadingKind.allCases.filter { rows[$0].count > 0 }
        record.write(UInt8(kinds.count))
        for kind in kinds {
            record.write(kind.name)
            record.write(rows[kind].tuples.bytes)
        }
        record.write(UInt32(quarantined.count))
        for reading in quarantined {
            record.write(Int32(clamping: reading.index))
            record.write(reading.reason.rawValue)
            record.write(reading.body)
        }
    }

    /// The kinds of which a parcel without their names has tuples.
    private static let unnamedKinds: [ReadingKind] = [.gps, .vital, .event]

    /// - Parameter namesKinds: false for one that was written before kinds were named.
    /// - Returns: nil when the bytes are no parcel, or have a kind that this version does not know.
    package convenience init?(from record: inout RecordReader, namesKinds: Bool) {
        guard let deviceID = record.text(), let key = record.integer(Int64.self),
            let check = record.integer(Int64.self), let hasAttributes = record.integer(UInt8.self)
        else { return nil }
        var attributes: DeviceAttributes?
        if hasAttributes != 0 {
            guard let userID = record.optionalText(), let modelName = record.optionalText(),
                let version = record.optionalText()
            else { return nil }
            attributes = DeviceAttributes(userID: userID, modelName: modelName, version: version)
        }
        self.init(
            sender: Sender(
                deviceID: deviceID, key: DeviceKey(value: key, check: check),
                attributes: attributes))
        guard let kindCount = namesKinds ? record.integer(UInt8.self) : 3 else { return nil }
        for place in 0..<Int(kindCount) {
            guard let kind = namesKinds ? record.kind() : Self.unnamedKinds[place],
                record.withData({ rows[kind].append(checking: $0) ? true : nil }) != nil
            else { return nil }
        }
        guard let count = record.integer(UInt32.self) else { return nil }
        for _ in 0..<count {
            guard let index = record.integer(Int32.self),
                let reason = record.text().flatMap(QuarantineReason.init(rawValue:)),
                let body = record.data()
            else { return nil }
            quarantined.append(
                QuarantinedReading(index: Int(index), reason: reason, body: body))
        }
    }
}

extension RecordReader {
    fileprivate mutating func kind() -> ReadingKind? {
        text().flatMap { name in ReadingKind.allCases.first { $0.name == name } }
    }
}

extension KindRows {
    /// - Returns: false when these are no whole tuples.
    fileprivate mutating func append(checking bytes: UnsafeRawBufferPointer) -> Bool {
        var start = 0
        while start < bytes.count {
            guard let end = TupleBuffer.checkedTupleEnd(in: bytes, at: start) else { return false }
            note(time: TupleBuffer.time(in: bytes, at: start))
            start = end
        }
        tuples.append(bytes)
        return true
    }
}

extension TupleBuffer {
    /// ``tupleEnd(in:at:)`` for bytes that may be no tuple.
    fileprivate static func checkedTupleEnd(
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
