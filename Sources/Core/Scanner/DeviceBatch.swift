public import Readings

/// One device's part of a batch: its rows, ready for COPY, and its quarantined readings. They
/// belong to the batch's user.
///
/// Lanes take device batches: all rows of a device go through one lane. A device batch is immutable
/// once the code that made it has returned it, so it may cross from the event loop to the lane's
/// queue.
public final class DeviceBatch: @unchecked Sendable {
    // Guard of `@unchecked`: only the code that makes a deviceBatch writes to it, before it is
    // shared.

    private var sender: Sender
    /// Holds the rows of a small batch; those of a large batch have memory of their own.
    private let slab: TupleSlab

    /// Lower-cased. Empty if its readings, which are all quarantined, name no device.
    public var deviceID: String { sender.deviceID }
    /// Its readings name no device; there is none to be registered.
    public var isNameless: Bool { sender.deviceID.isEmpty }
    /// The key of the device id alone.
    public var idKey: DeviceIDKey { sender.idKey }
    /// Whose readings they are: the user whom the batch names; where it names none, the device id
    /// of its envelope.
    public var userID: String { sender.userID }
    /// That of the device and the user. Part of every tuple; decides the lane.
    public var key: DeviceKey { sender.key }
    /// The device's attributes in the envelope; nil in device batches of overriding readings.
    public var attributes: DeviceAttributes? { sender.attributes }

    // Without exclusivity checks: each would cost a small batch a fifth of a reading.
    @exclusivity(unchecked) var rows: ByKind<KindRows>
    /// Vital readings that have no code yet; nil: there are none.
    var named: NamedVitals?
    /// Quarantined readings of this batch, in order; where there is an envelope, all are in its
    /// device's.
    public internal(set) var quarantined: [QuarantinedReading] = []

    init(
        sender: Sender, rows: consuming ByKind<KindRows> = ByKind<KindRows> { _ in KindRows() }
    ) {
        self.sender = sender
        slab = TupleSlab()
        self.rows = rows
    }

    /// Copies all rows into one allocation.
    init(sender: Sender, copying rows: borrowing ByKind<KindRows>) {
        self.sender = sender
        var slab = TupleSlab(byteCount: rows.tupleBytes)
        self.rows = ByKind<KindRows> { KindRows(copying: rows[$0], to: &slab) }
        self.slab = slab
    }

    /// A device batch of the same device without rows, with or without its attributes.
    func emptied(keepingAttributes: Bool) -> DeviceBatch {
        DeviceBatch(sender: keepingAttributes ? sender : sender.withoutAttributes)
    }

    /// The same without readings by name.
    func copied() -> DeviceBatch {
        let copy = DeviceBatch(sender: sender, copying: rows)
        copy.quarantined = quarantined
        return copy
    }

    /// Whether the batch names the user.
    var namesUser: Bool { sender.namesUser }

    /// A further reading names the user, who is called like the device.
    func nameUser() {
        guard !sender.namesUser else { return }
        sender = Sender(
            deviceID: deviceID, idKey: idKey, userID: userID, namesUser: true, key: key,
            attributes: attributes)
    }

    /// Changes the user, and so the key in all rows.
    func give(to user: String, isNamed: Bool = true) {
        sender = Sender(
            deviceID: deviceID, idKey: idKey, userID: user, namesUser: isNamed,
            attributes: attributes)
        for kind in ReadingKind.allCases { rows[kind].tuples.stamp(key: key.value) }
        named?.rows.tuples.stamp(key: key.value)
    }

    /// Gives quarantined readings other indexes, such as the lines of a file; before the batch is
    /// shared.
    public func renumberQuarantined(_ index: (Int) -> Int) {
        quarantined = quarantined.map {
            QuarantinedReading(index: index($0.index), reason: $0.reason, body: $0.body)
        }
    }

    /// Adds the rows of another device batch of the same device.
    func append(_ other: DeviceBatch) {
        precondition(other.key == key, "BUG: device batches of two devices")
        for kind in ReadingKind.allCases { rows[kind].append(other.rows[kind]) }
        guard let more = other.named else { return }
        let own = named ?? NamedVitals(names: more.names)
        own.rows.append(more.rows)
        named = own
    }

    /// Rows of all kinds, without quarantined readings.
    public var rowCount: Int {
        var count = 0
        for kind in ReadingKind.allCases { count += rows[kind].count }
        if let named { count += named.rows.count }
        return count
    }

    /// Bytes of all tuples and of all quarantined bodies.
    public var byteCount: Int {
        var bytes = rows.tupleBytes + quarantined.reduce(0) { $0 + $1.body.count }
        if let named { bytes += named.rows.tuples.count }
        return bytes
    }

    /// Memory that the device batch holds, for the budgets; more than ``byteCount``.
    public var memory: Int {
        var memory = 256 + quarantined.reduce(0) { $0 + $1.body.count + 64 }
        for kind in ReadingKind.allCases { memory += rows[kind].tuples.byteCapacity }
        if let named { memory += named.rows.tuples.byteCapacity }
        return memory
    }

    /// The number of rows of `kind` and their times; much cheaper than a closure.
    public func summary(of kind: ReadingKind) -> RowSummary { rows[kind].summary }

    /// Calls `body` with the rows of `kind`.
    public func withRows<Result>(
        of kind: ReadingKind, _ body: (borrowing KindRows) throws -> Result
    ) rethrows -> Result {
        try body(rows[kind])
    }

    /// Vital readings without code, and their tuples, for tests.
    public var namedRows: (summary: RowSummary, tuples: [UInt8])? {
        named.map { ($0.rows.summary, [UInt8]($0.rows.tuples.bytes)) }
    }

    /// A copy of the tuples of `kind`, for tests and tools.
    public func tuples(of kind: ReadingKind) -> [UInt8] {
        withRows(of: kind) { [UInt8]($0.tuples.bytes) }
    }
}

/// For rows that PostgreSQL refuses: splits a device batch down to single rows, and quarantines
/// rows.
extension DeviceBatch {
    /// Two device batches with half of the rows each; the first has the attributes and all
    /// quarantined readings. Returns nil when there are fewer than two rows.
    ///
    /// - Complexity: O(bytes), because the rows are copied.
    public func halves() -> (DeviceBatch, DeviceBatch)? {
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
        if let named {
            let halves = (NamedVitals(names: named.names), NamedVitals(names: named.names))
            share(named.rows, &halves.0.rows, &halves.1.rows)
            if halves.0.rows.count > 0 { first.named = halves.0 }
            if halves.1.rows.count > 0 { second.named = halves.1 }
        }
        return (first, second)
    }

    /// The same device batch with all rows quarantined for `reason`, as JSON made from the rows.
    /// Readings that were quarantined before stay.
    public func settingAsideAll(_ reason: QuarantineReason) -> DeviceBatch {
        settingAside(reason) { _, _ in true }
    }

    /// The same with some rows quarantined: those for whose kind and time, in microseconds since
    /// 2000, `isAside` returns true.
    public func settingAside(
        _ reason: QuarantineReason, where isAside: (ReadingKind, Int64) -> Bool
    ) -> DeviceBatch {
        let deviceBatch = emptied(keepingAttributes: true)
        deviceBatch.quarantined = quarantined
        func sort(
            _ kind: ReadingKind, _ rows: borrowing KindRows, _ kept: inout KindRows,
            names: [String]? = nil
        ) {
            let bytes = rows.tuples.bytes
            var start = 0
            while start < bytes.count {
                let end = TupleBuffer.tupleEnd(in: bytes, at: start)
                let time = TupleBuffer.time(in: bytes, at: start)
                if isAside(kind, time) {
                    deviceBatch.quarantined.append(
                        QuarantinedReading(
                            index: QuarantinedReading.indexUnknown, reason: reason,
                            body: ReadingText.json(
                                kind, bytes, at: start,
                                metric: names.map { $0[NamedVitals.place(in: bytes, at: start)] })))
                } else {
                    kept.append(
                        tuple: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), time: time)
                }
                start = end
            }
        }
        for kind in ReadingKind.allCases { sort(kind, rows[kind], &deviceBatch.rows[kind]) }
        if let named {
            let kept = NamedVitals(names: named.names)
            sort(.vital, named.rows, &kept.rows, names: named.names)
            if kept.rows.count > 0 { deviceBatch.named = kept }
        }
        return deviceBatch
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
    mutating func append(tuple: UnsafeRawBufferPointer, time: Int64) {
        note(time: time)
        tuples.append(tuple)
    }
}
