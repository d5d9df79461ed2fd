package import Readings

/// A parcel as bytes, for the spool.
///
/// Device id, key and its check, attributes, the tuples of each kind, then what was set aside.
/// Counts and times are not written: they are found again in the tuples, which are checked on the
/// way.
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
        for kind in ReadingKind.allCases {
            withRows(of: kind) { record.write($0.tuples.bytes) }
        }
        record.write(UInt32(quarantined.count))
        for reading in quarantined {
            record.write(Int32(clamping: reading.index))
            record.write(reading.reason.rawValue)
            record.write(reading.body)
        }
    }

    /// - Returns: nil when the bytes are no parcel.
    package convenience init?(from record: inout RecordReader) {
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
        for kind in ReadingKind.allCases {
            guard record.withData({ append($0, to: kind) ? true : nil }) != nil else { return nil }
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

    private func append(_ tuples: UnsafeRawBufferPointer, to kind: ReadingKind) -> Bool {
        switch kind {
        case .gps: gps.append(checking: tuples)
        case .vital: vital.append(checking: tuples)
        case .event: event.append(checking: tuples)
        }
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
