import Readings

/// The spool over an interval.
public struct SpoolReport: Codable, Equatable, Sendable {
    /// What the spool is doing.
    public enum State: String, Codable, Sendable {
        /// There is no spool.
        case off
        /// It is empty.
        case empty
        /// Batches go into it.
        case filling
        /// It has pending records, and none is written or replayed.
        case waiting
        /// It is being replayed.
        case draining
        /// It has no space left, or writing fails.
        case full
    }

    /// What the spool is doing.
    public var state: State
    /// Size of its files.
    public var bytes: Double
    /// Maximum size of its files.
    public var bytesMax: Double
    /// Files with pending records.
    public var segments: Double
    /// Pending readings.
    public var waitingReadings: Double
    /// Pending units of work.
    public var waitingUnits: Double
    /// Age of the oldest pending record; nil: there is none.
    public var oldestSeconds: Double?
    /// Readings written per second.
    public var written: Double
    /// Readings replayed per second.
    public var replayed: Double
    /// Unreadable readings since the start; their file is kept.
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
