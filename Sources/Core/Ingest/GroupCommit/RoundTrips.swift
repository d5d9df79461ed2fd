/// How far away a session's database is: the shortest of the last round trips that were measured.
///
/// The network may change while the session is open. A stall makes a trip longer and none makes it
/// shorter, so a shorter one is believed at once, and a longer one after ``half`` to twice as many.
struct RoundTrips {
    /// Trips of each of the two halves of what is remembered.
    static let half = 32
    /// Time between two measurements.
    static let pause = Duration.milliseconds(10)

    /// Of the present half and of the one before it.
    private var current: Duration?
    private var previous: Duration?
    private var count = 0
    private var dueAt: ContinuousClock.Instant?

    /// nil: none was measured yet.
    var shortest: Duration? {
        guard let current else { return previous }
        return min(current, previous ?? current)
    }

    func isDue(at now: ContinuousClock.Instant) -> Bool {
        dueAt.map { now >= $0 } ?? true
    }

    mutating func add(_ trip: Duration, at now: ContinuousClock.Instant) {
        dueAt = now + Self.pause
        if count == Self.half {
            (previous, current, count) = (current, nil, 0)
        }
        current = min(current ?? trip, trip)
        count += 1
    }
}
