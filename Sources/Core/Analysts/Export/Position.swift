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
}

extension Position {
    /// - Parameter piece: a tuple of COPY BINARY with four columns of eight bytes, none null, the
    ///   last one NaN if it is unknown; the header may precede the first tuple.
    /// - Returns: nil for the header or trailer alone.
    /// - Source: PostgreSQL manual, "COPY", section "Binary Format".
    init?(copyPiece piece: UnsafeRawBufferPointer) {
        let tupleBytes = 2 + 4 * (4 + 8)
        guard piece.count >= tupleBytes else { return nil }
        let start = piece.count - tupleBytes
        func word(_ offset: Int) -> UInt64 {
            UInt64(bigEndian: piece.loadUnaligned(fromByteOffset: start + offset, as: UInt64.self))
        }
        microseconds = Int64(bitPattern: word(6))
        latitude = Double(bitPattern: word(18))
        longitude = Double(bitPattern: word(30))
        let altitude = Double(bitPattern: word(42))
        self.altitude = altitude.isNaN ? nil : altitude
    }
}
