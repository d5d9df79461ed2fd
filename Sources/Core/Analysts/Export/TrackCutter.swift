/// Cuts a device's positions into stretches, without I/O.
struct TrackCutter {
    /// What a format requires of a stretch.
    struct Limits {
        var positionsMax = Int.max
        /// RFC 7946, 3.1.9: a line does not cross the antimeridian.
        var endsAtAntimeridian = false
    }

    /// An instruction for the writer.
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

    /// - Parameter position: not earlier than the previous one.
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
            // The new stretch repeats the last position, so that the line has no gap.
            count = 2
            return [.end, .begin(last), .go(to: position)]
        }
        count += 1
        return [.go(to: position)]
    }

    /// Call it after the last position.
    mutating func end() -> [Step] {
        defer { last = nil }
        return last == nil ? [] : [.end]
    }
}
