/// Cuts a device's positions into stretches. Pure.
struct TrackCutter {
    /// What a format can't have in one stretch.
    struct Limits {
        var positionsMax = Int.max
        /// RFC 7946, 3.1.9: a line does not cross the antimeridian.
        var endsAtAntimeridian = false
    }

    /// What a writer is to do.
    enum Step: Equatable {
        /// A stretch begins with this position.
        case begin(Position)
        case go(to: Position)
        case end
    }

    private let gap: Int64
    private let limits: Limits
    private var last: Position?
    private var count = 0

    init(gap: Duration, limits: Limits) {
        self.gap = Int64(gap / .microseconds(1))
        self.limits = limits
    }

    /// - Parameter position: not before the one before it.
    mutating func take(_ position: Position) -> [Step] {
        defer { last = position }
        guard let last else {
            count = 1
            return [.begin(position)]
        }
        let crosses =
            limits.endsAtAntimeridian && abs(position.longitude - last.longitude) > 180
        if position.microseconds - last.microseconds > gap || crosses {
            count = 1
            return [.end, .begin(position)]
        }
        if count == limits.positionsMax {
            // The way between two stretches of one is part of the second.
            count = 2
            return [.end, .begin(last), .go(to: position)]
        }
        count += 1
        return [.go(to: position)]
    }

    /// After the last position.
    mutating func end() -> [Step] {
        defer { last = nil }
        return last == nil ? [] : [.end]
    }
}

/// A device's place at a time.
struct Position: Equatable {
    /// Since 2000-01-01 UTC.
    var microseconds: Int64
    /// Degrees north.
    var latitude: Double
    /// Degrees east.
    var longitude: Double
}

extension Position {
    /// - Parameter piece: a tuple of COPY BINARY with three columns of eight bytes, none null; the
    ///   header may stand in front of the first one.
    /// - Returns: nil for the header or trailer alone.
    /// - Source: PostgreSQL manual, "COPY", section "Binary Format".
    init?(copyPiece piece: UnsafeRawBufferPointer) {
        let tupleBytes = 2 + 3 * (4 + 8)
        guard piece.count >= tupleBytes else { return nil }
        let start = piece.count - tupleBytes
        func word(_ offset: Int) -> UInt64 {
            UInt64(bigEndian: piece.loadUnaligned(fromByteOffset: start + offset, as: UInt64.self))
        }
        microseconds = Int64(bitPattern: word(6))
        latitude = Double(bitPattern: word(18))
        longitude = Double(bitPattern: word(30))
    }
}
