import Readings

/// The vital readings of a device batch whose metrics have names in place of codes. The code of
/// each tuple is the place of its name.
///
/// They keep their names in queues and in the spool, until a group is written: only then is there a
/// database to ask for codes.
final class NamedVitals {
    var rows = KindRows()
    /// Those of the whole batch, each once.
    var names: [String]

    init(names: [String] = []) { self.names = names }

    /// Where a tuple has its code, two bytes, big-endian.
    static let codeOffset = TupleBuffer.startBytes + 4

    /// The place of a tuple's name.
    static func place(in tuples: UnsafeRawBufferPointer, at start: Int) -> Int {
        Int(
            Int16(
                bigEndian: tuples.loadUnaligned(
                    fromByteOffset: start + codeOffset, as: Int16.self)))
    }

    /// The places of the names that its readings use, in the order of their first use. A batch of
    /// many devices may have many names, and each device few of them.
    fileprivate var usedPlaces: [Int] {
        let bytes = rows.tuples.bytes
        var known: Set<Int> = []
        var places: [Int] = []
        var start = 0
        while start < bytes.count {
            let place = Self.place(in: bytes, at: start)
            if known.insert(place).inserted { places.append(place) }
            start = TupleBuffer.tupleEnd(in: bytes, at: start)
        }
        return places
    }

    fileprivate static func replaceCode(
        by code: Int16, in tuples: inout [UInt8], at start: Int = 0
    ) {
        let code = UInt16(bitPattern: code)
        tuples[start + codeOffset] = UInt8(code >> 8)
        tuples[start + codeOffset + 1] = UInt8(truncatingIfNeeded: code)
    }
}

/// As a kind of its own in a record of the spool; see `DeviceBatch.write(to:)`.
extension NamedVitals {
    /// In the place of a kind's name. Versions that do not know it leave the record in the spool, as
    /// they do with an unknown kind.
    static let recordName = "vital by name"

    /// The number of names, the names that are used, the tuples.
    func write(to record: inout RecordWriter) {
        record.write(Self.recordName)
        let places = usedPlaces
        record.write(UInt32(places.count))
        for place in places { record.write(names[place]) }
        let newPlaces = Dictionary(
            uniqueKeysWithValues: places.enumerated().map { ($1, Int16($0)) })
        let bytes = rows.tuples.bytes
        var tuples = [UInt8](bytes)
        var start = 0
        while start < bytes.count {
            let place = newPlaces[Self.place(in: bytes, at: start)] ?? 0
            Self.replaceCode(by: place, in: &tuples, at: start)
            start = TupleBuffer.tupleEnd(in: bytes, at: start)
        }
        record.write(tuples)
    }

    /// Reads what follows ``recordName``; nil when it is something else.
    convenience init?(from record: inout RecordReader) {
        guard let count = record.integer(UInt32.self), count <= MetricName.ofKeyMax else {
            return nil
        }
        self.init()
        for _ in 0..<count {
            guard let name = record.text(), MetricName.isValid(Array(name.utf8)) else {
                return nil
            }
            names.append(name)
        }
        guard record.withData({ rows.append(checking: $0, of: .vital) ? true : nil }) != nil
        else { return nil }
        let bytes = rows.tuples.bytes
        var start = 0
        while start < bytes.count {
            let end = TupleBuffer.tupleEnd(in: bytes, at: start)
            guard end - start >= Self.codeOffset + 2,
                names.indices.contains(Self.place(in: bytes, at: start))
            else { return nil }
            start = end
        }
    }
}

extension DeviceBatch {
    /// Some of its vital readings have names in place of codes; see ``resolved(_:)``.
    public var hasMetricNames: Bool { named != nil }

    /// The names that its readings use, each once.
    public var metricNames: [String] {
        guard let named else { return [] }
        return named.usedPlaces.map { named.names[$0] }
    }

    /// Calls `body` with the rows that have names, if there are any.
    public func withNamedRows(_ body: (borrowing KindRows) throws -> Void) rethrows {
        if let named { try body(named.rows) }
    }

    /// A device batch with codes in place of names; readings without one are quarantined.
    ///
    /// - Parameter code: of a name; nil: there is none.
    /// - Complexity: O(bytes), because the rows are copied.
    public func resolved(_ code: (String) -> Int16?) -> DeviceBatch {
        guard let named else { return self }
        let codes = Dictionary(
            uniqueKeysWithValues: named.usedPlaces.map { ($0, code(named.names[$0])) })
        let copy = copied()
        copy.append(named) { codes[$0] ?? nil }
        return copy
    }

    /// Gives the readings by name their codes, in place.
    ///
    /// - Parameter codes: by the place of the name.
    fileprivate func resolve(_ codes: [Int16?]) {
        guard let named else { return }
        self.named = nil
        append(named) { codes[$0] }
    }

    /// - Parameter code: by the place of the name.
    private func append(_ named: NamedVitals, _ code: (Int) -> Int16?) {
        let bytes = named.rows.tuples.bytes
        var tuple: [UInt8] = []
        var start = 0
        while start < bytes.count {
            let end = TupleBuffer.tupleEnd(in: bytes, at: start)
            let time = TupleBuffer.time(in: bytes, at: start)
            let place = NamedVitals.place(in: bytes, at: start)
            if let code = code(place) {
                tuple.removeAll(keepingCapacity: true)
                tuple += bytes[start..<end]
                NamedVitals.replaceCode(by: code, in: &tuple)
                tuple.withUnsafeBytes { rows.vital.append(tuple: $0, time: time) }
            } else {
                quarantined.append(
                    QuarantinedReading(
                        index: QuarantinedReading.indexUnknown, reason: .metricTooMany,
                        body: ReadingText.json(.vital, bytes, at: start, metric: named.names[place])
                    ))
            }
            start = end
        }
    }
}

extension ScannedBatch {
    /// The same batch, with codes for the names of metrics. The device batches are changed, so no
    /// other may use them any more.
    ///
    /// - Parameter codes: of ``metricNames``, in their order; nil: there is none for that name.
    public func resolved(_ codes: [Int16?]) -> ScannedBatch {
        precondition(codes.count == metricNames.count, "BUG: codes=\(codes.count)")
        for deviceBatch in deviceBatches { deviceBatch.resolve(codes) }
        return ScannedBatch(
            received: received, quarantined: quarantined, problems: problems, ignored: ignored,
            metricNames: [], deviceBatches: deviceBatches)
    }
}
