import Readings

/// A valid reading, as its table's columns.
enum ReferenceRow {
    case gps(Timestamp, latitude: Double, longitude: Double, accuracy: Double?)
    case vital(Timestamp, code: Int16, value: Double)
    case event(Timestamp, label: [UInt8], valueText: [UInt8]?, metadata: [UInt8]?)

    var kind: ReadingKind {
        switch self {
        case .gps: .gps
        case .vital: .vital
        case .event: .event
        }
    }

    var time: Timestamp {
        switch self {
        case .gps(let time, _, _, _), .vital(let time, _, _), .event(let time, _, _, _): time
        }
    }

    /// One COPY BINARY tuple.
    ///
    /// Source: PostgreSQL 15 manual, "COPY", section "Tuples": a 16-bit field count, then for each
    /// field a 32-bit length (−1 for NULL) and as many bytes, all in network order.
    func tuple(key: DeviceKey) -> [UInt8] {
        let keyField = bytes(of: key.value)
        let fields: [[UInt8]?]
        switch self {
        case .gps(let time, let latitude, let longitude, let accuracy):
            fields = [
                keyField, bytes(of: time.microseconds), bytes(of: latitude.bitPattern),
                bytes(of: longitude.bitPattern), accuracy.map { bytes(of: $0.bitPattern) },
            ]
        case .vital(let time, let code, let value):
            fields = [
                keyField, bytes(of: time.microseconds), bytes(of: code),
                bytes(of: value.bitPattern),
            ]
        case .event(let time, let label, let valueText, let metadata):
            let jsonbVersion: [UInt8] = [1]
            fields = [
                keyField, bytes(of: time.microseconds), label, valueText,
                metadata.map { jsonbVersion + $0 },
            ]
        }
        var tuple = bytes(of: Int16(fields.count))
        for field in fields {
            tuple += bytes(of: Int32(field?.count ?? -1))
            tuple += field ?? []
        }
        return tuple
    }

    private func bytes(of number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
