public import Readings

extension FleetModel {
    /// Appends the row that a reading must become, as a COPY BINARY tuple, and returns its kind.
    /// For a malformed reading it appends nothing and returns nil.
    ///
    /// - Source: PostgreSQL manual, "COPY", section "Binary Format".
    @discardableResult
    public func appendRow(
        device: Int, sequence: Int, to row: inout ByteWriter
    ) -> ReadingKind? {
        let reading = reading(device: device, sequence: sequence)
        guard reading.malformation == nil else { return nil }
        let owner = traits[device]
        let key = reading.isFromWatch ? owner.watchKey : owner.key
        row.reserve(128)
        switch reading.content {
        case .gps(let latitude, let longitude, let accuracy, let details):
            head(fields: 8, key: key, time: reading.time, to: &row)
            field(latitude.value, to: &row)
            field(longitude.value, to: &row)
            if case .metres(let metres) = accuracy {
                field(metres.value, to: &row)
            } else {
                row.put(bigEndian: Int32(-1))
            }
            field(details?.altitude.value, to: &row)
            field(details?.verticalAccuracy.value, to: &row)
            if let motion = details?.motion {
                row.put(bigEndian: Int32(8))
                row.put(bigEndian: motion)
            } else {
                row.put(bigEndian: Int32(-1))
            }
        case .vital(let code, let value):
            head(fields: 4, key: key, time: reading.time, to: &row)
            row.put(bigEndian: Int32(2))
            row.put(bigEndian: code)
            field(value.value, to: &row)
        case .event(let label, let text, let metadata):
            head(fields: 5, key: key, time: reading.time, to: &row)
            field(Phrases.labels[label].text, version: false, to: &row)
            field(text.map { Phrases.texts[$0].text }, version: false, to: &row)
            field(metadata.map { Phrases.metadata[$0].text }, version: true, to: &row)
        }
        return reading.kind
    }

    /// Gives the row of a vital reading, as ``appendRow(device:sequence:to:)`` has appended it to an
    /// empty buffer, another code.
    public static func replaceCode(by code: Int16, in row: inout ByteWriter) {
        // Behind the number of fields, the key and the time with their lengths, and a length.
        let place = 2 + 12 + 12 + 4
        let code = UInt16(bitPattern: code)
        row.replace(at: place, byte: UInt8(code >> 8))
        row.replace(at: place + 1, byte: UInt8(truncatingIfNeeded: code))
    }

    /// The day of a reading, and so of its partition.
    public func day(device: Int, sequence: Int) -> Int32 {
        reading(device: device, sequence: sequence).time.day
    }

    @inline(__always)
    private func head(fields: Int16, key: DeviceKey, time: Timestamp, to row: inout ByteWriter) {
        row.put(bigEndian: fields)
        row.put(bigEndian: Int32(8))
        row.put(bigEndian: key.value)
        row.put(bigEndian: Int32(8))
        row.put(bigEndian: time.microseconds)
    }

    @inline(__always)
    private func field(_ value: Double, to row: inout ByteWriter) {
        row.put(bigEndian: Int32(8))
        row.put(bigEndian: value.bitPattern)
    }

    @inline(__always)
    private func field(_ value: Double?, to row: inout ByteWriter) {
        guard let value else { return row.put(bigEndian: Int32(-1)) }
        field(value, to: &row)
    }

    /// - Parameter version: whether `jsonb`'s version byte precedes the text.
    @inline(__always)
    private func field(_ text: String?, version: Bool, to row: inout ByteWriter) {
        guard let text else { return row.put(bigEndian: Int32(-1)) }
        row.put(bigEndian: Int32(text.utf8.count + (version ? 1 : 0)))
        if version { row.put(byte: 1) }
        row.put(text: text)
    }
}
