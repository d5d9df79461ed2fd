package import Readings

/// A parcel as bytes, for the spool.
///
/// Device id, key and its check, attributes, the number of kinds with tuples, each kind's name and
/// tuples, then the quarantined readings. Counts and times are not written: they are read from the
/// tuples, which are checked at the same time.
extension Parcel {
    /// Appends the parcel; ``init(from:namesKinds:)`` restores all of it.
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

    /// The kinds of a record that was written before kinds were named, in its order.
    private static let unnamedKinds: [ReadingKind] = [.gps, .vital, .event]

    /// - Parameter namesKinds: false for a record that was written before kinds were named.
    /// - Returns: nil when the bytes are not a parcel, or have a kind that this version does not
    ///   know.
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
    /// - Returns: false when these are not whole tuples.
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
    /// ``tupleEnd(in:at:)`` for bytes that may not be a tuple.
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

/// The number and times of a parcel's rows of one kind.
public struct RowSummary: Sendable {
    /// How many there are.
    public let count: Int
    /// The earliest time, microseconds since 2000; `Int64.max` when there is none.
    public let first: Int64
    /// The latest time; `Int64.min` when there is none.
    public let last: Int64
    /// Each time is later than the previous one.
    public let strictlyRising: Bool
}

extension KindRows {
    var summary: RowSummary {
        RowSummary(count: count, first: first, last: last, strictlyRising: strictlyRising)
    }
}
