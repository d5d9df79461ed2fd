package import Readings

/// A device batch as bytes, for the spool.
///
/// Device id, user id, key and its check, attributes, the number of kinds with tuples, each kind's
/// name and tuples, with readings by name as a kind of their own, then the quarantined readings.
/// Counts and times are not written: they are read from the tuples, which are checked at the same
/// time.
extension DeviceBatch {
    /// The forms of a record.
    package enum RecordForm {
        /// Kinds have no names, and the user is one of the attributes.
        case withoutKinds
        /// The user is one of the attributes.
        case withoutUser
        case current
    }

    /// Appends the device batch; ``init(from:_:)`` restores all of it.
    package func write(to record: inout RecordWriter) {
        record.write(deviceID)
        record.write(userID)
        record.write(key.value)
        record.write(key.check)
        record.write(attributes == nil ? 0 as UInt8 : 1)
        if let attributes {
            record.write(attributes.modelName)
            record.write(attributes.version)
        }
        let kinds = ReadingKind.allCases.filter { rows[$0].count > 0 }
        record.write(UInt8(kinds.count + (named == nil ? 0 : 1)))
        for kind in kinds {
            record.write(kind.name)
            record.write(rows[kind].tuples.bytes)
        }
        named?.write(to: &record)
        record.write(UInt32(quarantined.count))
        for reading in quarantined {
            record.write(Int32(clamping: reading.index))
            record.write(reading.reason.rawValue)
            record.write(reading.body)
        }
    }

    /// The kinds of a record that was written before kinds were named, in its order.
    private static let unnamedKinds: [ReadingKind] = [.gps, .vital, .event]

    /// In a record without user, the key is that of the device id. The device batch gets the key of
    /// its device and user all the same.
    ///
    /// - Returns: nil when the bytes are not a device batch, or have a kind that this version does
    ///   not know.
    package convenience init?(from record: inout RecordReader, _ form: RecordForm) {
        guard let deviceID = record.text() else { return nil }
        var userID = deviceID
        if form == .current {
            guard let text = record.text() else { return nil }
            userID = text
        }
        guard let key = record.integer(Int64.self), let check = record.integer(Int64.self),
            let hasAttributes = record.integer(UInt8.self)
        else { return nil }
        var attributes: DeviceAttributes?
        if hasAttributes != 0 {
            if form != .current {
                guard let text = record.optionalText() else { return nil }
                userID = text ?? deviceID
            }
            guard let modelName = record.optionalText(), let version = record.optionalText()
            else { return nil }
            attributes = DeviceAttributes(modelName: modelName, version: version)
        }
        self.init(
            sender: Sender(
                deviceID: deviceID, idKey: DeviceIDKey(of: deviceID), userID: userID,
                namesUser: true, key: DeviceKey(value: key, check: check), attributes: attributes))
        let namesKinds = form != .withoutKinds
        guard let kindCount = namesKinds ? record.integer(UInt8.self) : 3 else { return nil }
        for place in 0..<Int(kindCount) {
            guard let name = namesKinds ? record.text() : Self.unnamedKinds[place].name else {
                return nil
            }
            if name == NamedVitals.recordName {
                guard let named = NamedVitals(from: &record) else { return nil }
                self.named = named
                continue
            }
            guard let kind = ReadingKind.allCases.first(where: { $0.name == name }),
                record.withData({ rows[kind].append(checking: $0, of: kind) ? true : nil }) != nil
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
        if form != .current { give(to: userID) }
    }
}
