/// COPY BINARY tuples for tests, built in the simplest way.
struct TupleBytes {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ fields: [[UInt8]?]) {
        bytes += Self.bigEndian(Int16(fields.count))
        for field in fields {
            bytes += Self.bigEndian(Int32(field?.count ?? -1))
            bytes += field ?? []
        }
    }

    static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    static func gps(device: Int64, time: Int64, latitude: Double = 1) -> [UInt8] {
        var tuple = TupleBytes()
        tuple.append([
            bigEndian(device), bigEndian(time), bigEndian(latitude.bitPattern),
            bigEndian((-118.2437).bitPattern), nil,
        ])
        return tuple.bytes
    }

    static func vital(device: Int64, time: Int64, code: Int16 = 1) -> [UInt8] {
        var tuple = TupleBytes()
        tuple.append([
            bigEndian(device), bigEndian(time), bigEndian(code), bigEndian((72.0).bitPattern),
        ])
        return tuple.bytes
    }
}
