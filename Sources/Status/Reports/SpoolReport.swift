/// The spool over an interval.
public struct SpoolReport: Codable, Equatable, Sendable {
    /// What it is doing.
    public enum State: String, Codable, Sendable {
        /// There is none.
        case off
        /// Nothing waits in it.
        case empty
        /// Batches go into it.
        case filling
        /// Something waits, and nothing moves.
        case waiting
        /// It is being brought back to the database.
        case draining
        /// It has no more room, or can't be written.
        case full
    }

    /// What it is doing.
    public var state: State
    /// Of its files.
    public var bytes: Double
    /// What they may have.
    public var bytesMax: Double
    /// Files with something in them.
    public var segments: Double
    /// Readings in it.
    public var waitingReadings: Double
    /// Units of work in it.
    public var waitingUnits: Double
    /// How long the oldest has waited; nil: nothing waits.
    public var oldestSeconds: Double?
    /// Readings that came in, a second.
    public var written: Double
    /// Readings brought back, a second.
    public var replayed: Double
    /// That can't be read back, since the start; their file is kept.
    public var setAsideReadings: Double
    /// Groups that could not be written, since the start.
    public var failures: Double

    init(_ now: Sample, since earlier: Sample, seconds: Double) {
        let spool = now.spool ?? SpoolSample()
        let before = earlier.spool ?? spool
        bytes = spool.bytes
        bytesMax = spool.bytesMax
        segments = spool.segments
        waitingReadings = spool.waitingReadings
        waitingUnits = spool.waitingUnits
        let waits = waitingReadings + waitingUnits > 0
        oldestSeconds =
            waits
            ? spool.oldestUnixSeconds.map { Double(max(0, now.unixSeconds - $0)) } : nil
        written = Rate.of(spool.written, before.written, seconds)
        replayed = Rate.of(spool.replayed, before.replayed, seconds)
        setAsideReadings = spool.setAsideReadings
        failures = spool.failures
        let turnedAway = spool.refused > before.refused || spool.failures > before.failures
        state =
            if now.spool == nil { .off } else if turnedAway { .full } else if written > 0 {
                .filling
            } else if replayed > 0 { .draining } else if waits { .waiting } else { .empty }
    }
}
