/// A device's position at a time.
struct Position: Equatable {
    /// Since 2000-01-01 UTC.
    var microseconds: Int64
    /// Degrees north.
    var latitude: Double
    /// Degrees east.
    var longitude: Double
    /// Metres; nil if unknown.
    var altitude: Double?
    /// Radius of uncertainty in metres; nil if unknown.
    var accuracy: Double?
    /// Uncertainty of the altitude in metres; nil if unknown.
    var verticalAccuracy: Double?
    /// Metres a second; nil if unknown.
    var speed: Double?
    /// Degrees, clockwise from north; nil if unknown.
    var course: Double?
}

extension Position {
    /// - Parameter piece: a tuple of COPY BINARY with the eight properties as columns of eight bytes,
    ///   none null, those from the altitude on NaN if unknown; the header may precede the first tuple.
    /// - Returns: nil for the header or trailer alone.
    /// - Source: PostgreSQL manual, "COPY", section "Binary Format".
    init?(copyPiece piece: UnsafeRawBufferPointer) {
        let tupleBytes = 2 + 8 * (4 + 8)
        guard piece.count >= tupleBytes else { return nil }
        let start = piece.count - tupleBytes
        func word(_ column: Int) -> UInt64 {
            let offset = start + 6 + column * 12
            return UInt64(bigEndian: piece.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        func number(_ column: Int) -> Double? {
            let number = Double(bitPattern: word(column))
            return number.isNaN ? nil : number
        }
        microseconds = Int64(bitPattern: word(0))
        latitude = Double(bitPattern: word(1))
        longitude = Double(bitPattern: word(2))
        altitude = number(3)
        accuracy = number(4)
        verticalAccuracy = number(5)
        speed = number(6)
        course = number(7)
    }
}
