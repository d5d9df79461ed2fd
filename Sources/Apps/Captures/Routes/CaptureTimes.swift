public import Readings
import Synchronization

/// When captures may have been taken: as readings, by the limits in force.
public final class CaptureTimes: Sendable {
    private let limits: Mutex<ReadingLimits>

    /// Takes the limits of the start.
    public init(_ limits: ReadingLimits = ReadingLimits()) {
        self.limits = Mutex(limits)
    }

    /// The configuration was read again.
    public func replace(with limits: ReadingLimits) {
        self.limits.withLock { $0 = limits }
    }

    func accepted(at now: Timestamp) -> ClosedRange<Timestamp> {
        limits.withLock { $0.times(at: now) }
    }
}
