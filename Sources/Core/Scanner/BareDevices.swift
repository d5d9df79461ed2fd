import Readings

/// The devices of a body without envelope: an array of readings, or lines. Each reading names its
/// device and may name its user.
///
/// A bad reading belongs to the device that it names all the same. One that names none has no
/// device: it is in a device batch with an empty id, which is only quarantined and registers no
/// device.
struct BareDevices {
    private var deviceBatches: [DeviceBatch] = []
    private var places: [DeviceKey: Int] = [:]
    /// The device batch of the previous reading: most bodies have the readings of a device together.
    private var last: DeviceBatch?
    /// The device and user of the previous reading, as the body has them, and their device batch.
    private var lastSent: (device: [UInt8], user: [UInt8], batch: DeviceBatch)?
    private var nameless: DeviceBatch?

    /// The device batch of a device and its user.
    ///
    /// - Parameter userID: nil means the device id.
    mutating func batch(_ deviceID: String, _ userID: String?) -> DeviceBatch {
        let namesUser = userID != nil
        let userID = userID ?? deviceID
        if let last, last.deviceID.hasBytes(of: deviceID), last.userID.hasBytes(of: userID) {
            if namesUser { last.nameUser() }
            return last
        }
        let sender = Sender(
            deviceID: deviceID, idKey: DeviceIDKey(of: deviceID), userID: userID,
            namesUser: namesUser)
        let batch: DeviceBatch
        if let place = places[sender.key] {
            batch = deviceBatches[place]
            if namesUser { batch.nameUser() }
        } else {
            batch = DeviceBatch(sender: sender)
            places[sender.key] = deviceBatches.count
            deviceBatches.append(batch)
        }
        last = batch
        return batch
    }

    /// The device batch of a device and its user whose ids are in these places, in ASCII; no user
    /// means the device id.
    mutating func batch(
        _ window: Window, _ deviceID: Range<Int>, _ userID: Range<Int>
    ) -> DeviceBatch {
        if let lastSent, window.holds(lastSent.device, at: deviceID),
            window.holds(lastSent.user, at: userID)
        {
            return lastSent.batch
        }
        func text(_ range: Range<Int>) -> String {
            String(decoding: window.text(range), as: UTF8.self)
        }
        let batch = batch(text(deviceID).lowercased(), userID.isEmpty ? nil : text(userID))
        lastSent = (window.bytes(deviceID), window.bytes(userID), batch)
        return batch
    }

    /// Adds a quarantined reading.
    ///
    /// - Parameter sender: what it names; nil if that is not known.
    mutating func add(
        _ reading: QuarantinedReading, of sender: (deviceID: String, userID: String?)?
    ) {
        guard let sender else {
            let batch = nameless ?? .nameless()
            nameless = batch
            batch.quarantined.append(reading)
            return
        }
        batch(sender.deviceID, sender.userID).quarantined.append(reading)
    }

    /// The devices in the order of their first readings; the readings without device come last. There
    /// is at least one device batch, which may be empty.
    mutating func finish() -> DeviceBatchList {
        var all = deviceBatches
        if let nameless { all.append(nameless) }
        let first = all.isEmpty ? .nameless() : all.removeFirst()
        self = BareDevices()
        return DeviceBatchList(first: first, others: all)
    }
}

extension String {
    /// Whether both have the same bytes. Strings that are equal to Swift may differ in them.
    fileprivate func hasBytes(of other: String) -> Bool {
        let (bytes, others) = (utf8Span.span, other.utf8Span.span)
        guard bytes.count == others.count else { return false }
        for index in bytes.indices where bytes[index] != others[index] { return false }
        return true
    }
}

extension DeviceBatch {
    fileprivate static func nameless() -> DeviceBatch {
        DeviceBatch(
            sender: Sender(
                deviceID: "", idKey: DeviceIDKey(of: ""), userID: "", namesUser: false))
    }
}
