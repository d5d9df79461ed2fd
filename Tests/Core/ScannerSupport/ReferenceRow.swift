import Readings

/// A valid reading, as its table's columns.
struct ReferenceRow {
    let kind: ReadingKind
    let time: Timestamp
    /// In the order of the kind's schema; nil is NULL.
    var fields: [[UInt8]?]
    /// The name in place of a code.
    var metric: String?

    /// One COPY BINARY tuple.
    ///
    /// Source: PostgreSQL 15 manual, "COPY", section "Tuples": a 16-bit field count, then for each
    /// field a 32-bit length (−1 for NULL) and as many bytes, all in network order.
    func tuple(key: DeviceKey) -> [UInt8] {
        let fields = [Self.bytes(of: key.value), Self.bytes(of: time.microseconds)] + fields
        var tuple = Self.bytes(of: Int16(fields.count))
        for field in fields {
            tuple += Self.bytes(of: Int32(field?.count ?? -1))
            tuple += field ?? []
        }
        return tuple
    }

    static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
